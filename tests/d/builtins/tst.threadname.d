/* names of threads */
/* run: -c "@spin@ 300" */
/* not under valgrind: there dtrace has the tool's name */
BEGIN { printf("%d\n", threadname == execname); }
pid$target:a.out:main:entry { printf("%s\n", threadname); }
profile-97 /tid != pid && threadname != "spin"/ { @[threadname] = max(1); }
END { printa("%s\n", @); }
