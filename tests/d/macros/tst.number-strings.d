/* $$name is the decimal text */
BEGIN { printf("%s %d\n", $$target, strlen($$pid) > 0); exit(0); }
