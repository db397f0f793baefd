/* with -Z a module that is not there may come, or not; a function need not be there */
/* run: -Z -c @once@ */
pid$target:libnosuch.so.1:f:entry { n++; }
pid$target:a.out:nosuch:entry { n++; }
pid$target:a.out:nosuch:entry, pid$target:a.out:f:entry { m++; }
END { printf("%d %d\n", n, m); }
