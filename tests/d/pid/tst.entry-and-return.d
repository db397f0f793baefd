/* run: -c @once@ */
pid$target:a.out:f:entry { printf("%s %s %s %d\n", probemod, probefunc, probename, (int)arg0); }
pid$target:a.out:f:return { printf("%s %d\n", probename, (int)arg1); }
