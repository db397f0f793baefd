/* the first time is one interval after the start */
BEGIN { start = timestamp; }
tick-100ms { printf("%d\n", timestamp - start >= 100000000); exit(0); }
