/* -D, -U, -I, -H and -X are accepted without -C, then unused */
/* run: -D A=1 -U B -I @dir@ -H -X c */
BEGIN { A = 2; printf("%d\n", A); exit(0); }
