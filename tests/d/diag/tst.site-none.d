/* without a traced process there are no sites */
diag:::* { n++; }
tick-50ms { printf("%d\n", n); exit(0); }
