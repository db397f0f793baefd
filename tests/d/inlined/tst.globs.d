/* Told of each glob once, but not of those for all functions. */
/* run: -s @file@ -c @inlined@ */
pid$target:a.out:*[hl][ey]*:entry { @[probefunc] = count(); }
pid$target:a.out:*[hl][ey]*:return { @[probefunc] = count(); }
pid$target:a.out::entry, pid$target:a.out:**:entry /probefunc == "first"/ { @all[probefunc] = count(); }
pid$target:a.out:f[io]*:entry { @few[probefunc] = count(); }
