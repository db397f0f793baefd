/* a record with other data in each branch */
BEGIN { n = 0; }
tick-500 { printf("<"); if (n % 2) printf("odd %d", n); else printf("even %s %d", "x", n); printf(">\n"); n++; }
tick-500 /n == 4/ { exit(0); }
