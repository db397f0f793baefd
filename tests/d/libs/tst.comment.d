/* pragmas in comments are none */
/* run: -L @dir@/comment */
BEGIN { printf("%d\n", SEEN); exit(0); }
