/* run: -c @inlined@ */
pid$target:a.out:helper:entry { @[probefunc] = count(); }
