/* faults in END and in several clauses */
BEGIN { x = *(char *)1; }
BEGIN { x = *(char *)2; }
BEGIN { exit(0); }
END { x = *(char *)3; }
ERROR { n++; }
END { printf("end %d\n", n); }
