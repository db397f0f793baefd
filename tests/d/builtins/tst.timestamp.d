/* constant within a clause, growing between */
BEGIN { a = timestamp; b = timestamp; w = walltimestamp; printf("%d %d\n", a == b, a > 0); }
tick-10ms { c = timestamp; printf("%d %d %d\n", c > a, c - a < 5000000000, walltimestamp > w); exit(0); }
