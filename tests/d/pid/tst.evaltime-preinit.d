/* the program is held early enough for main */
/* run: -x evaltime=preinit -c @once@ */
pid$target:a.out:main:entry, pid$target:a.out:f:entry { printf("%s\n", probefunc); }
