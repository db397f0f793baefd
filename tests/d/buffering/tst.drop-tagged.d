/* run: -x bufsize=24 -x droptags */
BEGIN { printf("1\n"); } BEGIN { printf("2\n"); } BEGIN { printf("3\n"); }
tick-1ms { exit(0); }
