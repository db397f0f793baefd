union u { int i; char c; };
translator union u < int N > { i = N; };
BEGIN { printf("%d\n", xlate <union u> (5).i); exit(0); }
