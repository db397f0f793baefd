/* Globs take the functions that are chosen from, by their own names. */
/* run: -c @ifunc@ */
pid$target:a.out:[tc][wh]*[ec]*:entry { @[probefunc] = count(); }
