/* At the end fpid says what its breakpoints served; here both kinds of sites are hit. */
/* run: -s @file@ -c @tail@ */
fpid$target:a.out::entry, fpid$target:a.out::return { @[probefunc, probename] = count(); }
END { exit(0); trunc(@); }
