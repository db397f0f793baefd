/* five calls of a program that prints nothing */
/* run: -c @dies@ */
pid$target:a.out:doomed:entry { printf("%d ", (int)arg0); }
pid$target:a.out:doomed:return { printf("%d\n", (int)arg1); @ = sum(arg1); }
