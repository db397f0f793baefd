/* tick fires once however many threads there are, and describes dtrace */
/* run: -c "@spin@ 5000" */
tick-50ms { n++; other += pid != $pid || arg0 != 0 || arg1 == 0; }
tick-50ms /n == 5/ { printf("%d\n", other); exit(0); }
