/* a function selected twice in one list */
/* run: -c @once@ */
pid$target:a.out:f:entry, pid$target:a.out:[e-g]:entry { n++; }
END { printf("%d\n", n); }
