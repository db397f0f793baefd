/* specifiers of one list that meet on a probe each run the clause */
BEGIN, B* { printf("%d\n", epid); n++; }
BEGIN { printf("%d %d\n", n, epid); exit(0); }
