/* a site of both providers: pid's probe is no event, fpid's is one */
/* run: -c @once@ */
pid$target:a.out:f:entry, fpid$target:a.out:f:entry { n++; }
diag:::fpid { m++; }
END { printf("%d %d\n", n, m); }
