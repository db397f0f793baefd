/* a thousand elements stay apart */
BEGIN { n = 0; }
tick-5000 { a[n] = n * n; b[n, "k"] = n; n++; }
tick-5000 /n == 1000/ { exit(0); }
END { printf("%d %d %d %d\n", a[0], a[1] + a[999], b[500, "k"], a[1000]); }
