/* three thousand records in order */
int i;
tick-5000 { printf("%d\n", i); printf("%d\n", i + 1); printf("%d\n", i + 2); i += 3; }
tick-5000 /i == 3000/ { exit(0); }
