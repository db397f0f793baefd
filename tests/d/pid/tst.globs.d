/* functions by globs, modules by every form */
/* run: -c @once@ */
pid$target:a.out:f:entry { n++; printf("%s\n", probemod); }
pid$target:once:f:entry { n++; printf("%s\n", probemod); }
pid$target:on*:f:entry { n++; printf("%s\n", probemod); }
pid$target:a.out:[ef]:entry { n++; printf("%s\n", probemod); }
END { printf("%d\n", n); }
