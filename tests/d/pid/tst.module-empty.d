/* no module is every module */
/* run: -c @once@ */
pid$target::f:entry { printf("%s\n", probemod); }
pid$target:*:f:return { printf("%s\n", probemod); }
