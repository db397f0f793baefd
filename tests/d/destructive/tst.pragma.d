/* as -w does */
#pragma D option destructive
BEGIN { printf("allowed\n"); exit(0); }
END /0/ { stop(); }
