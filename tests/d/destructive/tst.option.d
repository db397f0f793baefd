/* run: -x destructive */
/* as -w does */
BEGIN { printf("allowed\n"); exit(0); }
END /0/ { stop(); }
