/* globs leave them out */
/* run: -c @names@ */
pid$target:libc.so.6:strle[n]:entry { n++; }
