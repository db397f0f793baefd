/* the target dies of the signal: it calls once only */
/* run: -w -o @tmp@/out -c @args@ */
pid$target:a.out:text:entry { n++; raise(10); }
END { printf("%d\n", n); }
