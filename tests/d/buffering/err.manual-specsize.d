/* run: -x specsize=100t -x bufresize=manual */
BEGIN { exit(0); }
