/* the place is kept over the clauses of one firing, and not over firings */
BEGIN { printf("%s\n", strtok("a:b", ":")); }
BEGIN { printf("%s\n", strtok(NULL, ":")); }
END { this->t = strtok(NULL, ":"); printf("not reached\n"); }
BEGIN { exit(0); }
