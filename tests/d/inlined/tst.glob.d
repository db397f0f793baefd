/* Globs take what there is; what they miss is reported in a line. */
/* run: -s @file@ -c @inlined@ */
pid$target:a.out:help*:entry { @[probefunc] = count(); }
