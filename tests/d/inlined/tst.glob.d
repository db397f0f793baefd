/* Globs take what there is. */
/* run: -s @file@ -c @inlined@ */
pid$target:a.out:help*:entry { @[probefunc] = count(); }
