/* what could not be stored is reported to a clause as well, also at the very end */
/* run: -x dynvarsize=32 */
BEGIN { a[1] = 1; a[2] = 2; a[3] = 3; a[4] = 4; exit(0); }
diag:::lostevent { printf("%d %d %s\n", args[0], args[1], args[2]); }
END { printf("end\n"); }
