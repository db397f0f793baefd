/* run: -x bufsize=64 */
/* switch: what has no room is dropped, counted and reported */
BEGIN { printf("1\n"); } BEGIN { printf("2\n"); } BEGIN { printf("3\n"); }
BEGIN { printf("4\n"); } BEGIN { printf("5\n"); } BEGIN { printf("6\n"); }
tick-1ms { exit(0); }
