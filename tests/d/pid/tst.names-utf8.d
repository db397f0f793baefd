/* names of any bytes, by globs */
/* run: -c @names@ */
pid$target:a.out:gr*e:entry { printf("%s\n", probefunc); }
