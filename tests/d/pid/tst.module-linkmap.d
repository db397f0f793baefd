/* the link map that all objects are on */
/* run: -c @once@ */
pid$target:LM0`libc.so.6:_exit:entry { printf("%s\n", probemod); }
pid$target:LM0`a.out:f:entry { printf("%s\n", probemod); }
pid$target:LM0`lib*:_exit:entry { n++; }
END { printf("%d\n", n); }
