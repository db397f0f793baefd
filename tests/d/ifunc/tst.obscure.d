/* What the loader has not chosen yet, and the code does not show, matches nothing. */
/* run: -x evaltime=exec -Z -s @file@ -c @ifunc@ */
pid$target:a.out:obscure:entry { @[probefunc] = count(); }
