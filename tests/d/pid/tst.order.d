/* entry and return nest */
/* run: -c @once@ */
pid$target:a.out:main:entry, pid$target:a.out:f:entry,
pid$target:a.out:main:return, pid$target:a.out:f:return { printf("%s %s\n", probefunc, probename); }
