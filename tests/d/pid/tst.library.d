/* functions of libc; the module is called by its canonical name */
/* run: -c @once@ */
pid$target:libc:exit:entry, pid$target:libc.so.6:_exit:entry { printf("%s %s %d\n", probemod, probefunc, (int)arg0); }
