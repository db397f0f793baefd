/* ticks of different rates */
int a, b;
tick-10ms { a++; }
tick-50ms /++b == 3/ { exit(0); }
END { printf("%d\n", a >= 10 && a <= 16); }
