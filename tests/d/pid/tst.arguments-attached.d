/* register arguments of a process attached to */
/* target: idle */
/* run: -p @pid@ */
pid$target:a.out:nap:entry { printf("no\n"); }
tick-100ms { exit(0); }
END { printf("%d\n", $target > 0); }
