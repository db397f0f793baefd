/* globs leave _init and _fini out; named they are as good as others */
/* run: -Z -c @names@ */
pid$target:a.out:_i*:entry, pid$target:a.out:_f*:entry { printf("%s\n", probefunc); }
pid$target:a.out:_init:entry, pid$target:a.out:_fini:entry { @[probefunc] = max(arg0); }
END { printa("%s %@d\n", @); }
