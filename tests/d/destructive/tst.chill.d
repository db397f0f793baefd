/* time passes in the probe, as much as there is a budget for */
/* run: -w */
BEGIN { t = timestamp; chill(100000000); }
BEGIN { chill(450000000); }
tick-10ms { printf("%d\n", timestamp - t >= 100000000); exit(0); }
dtrace:::ERROR { printf("%d\n", arg4); }
