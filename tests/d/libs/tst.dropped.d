/* a file whose provider or object is not there is left out without a word */
/* run: -L @dir@/dropped */
BEGIN { printf("%d %d\n", KEPT, sizeof (int)); exit(0); }
