/* a predicate on an argument */
/* run: -c @dies@ */
pid$target:a.out:doomed:entry /arg0 % 2/ { printf("%d\n", (int)arg0); }
