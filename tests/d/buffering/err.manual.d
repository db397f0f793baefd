/* run: -x bufsize=64g -x bufresize=manual */
BEGIN { exit(0); }
