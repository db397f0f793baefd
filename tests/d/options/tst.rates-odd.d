/* run: -x cleanrate=6000hz */
BEGIN { exit(0); }
