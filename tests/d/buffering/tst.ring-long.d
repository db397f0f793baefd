/* records of all sizes around the ring many times */
/* run: -x bufpolicy=ring -x bufsize=40k -o @tmp@/out -c @plain@ */
pid$target:a.out:alpha:entry { printf("%d\n", arg0); }
pid$target:a.out:beta:entry { printf("beta(%d) in %s:%s %s\n", arg0, probefunc, probename, "some text"); }
