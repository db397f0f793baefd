/* after exit() the later BEGIN clauses are skipped, END runs */
BEGIN { exit(0); printf("same clause\n"); }
BEGIN { printf("no\n"); }
END { printf("end\n"); }
