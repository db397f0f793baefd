/* Told once for all clauses that name it. */
/* run: -s @file@ -c @inlined@ */
pid$target:a.out:helper:entry { @[probefunc] = count(); }
pid$target:a.out:helper:return { @[probefunc] = count(); }
pid$target::third:entry { @[probefunc] = count(); }
