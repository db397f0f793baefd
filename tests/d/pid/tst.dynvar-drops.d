/* drops in the keeper are counted as well */
/* run: -x dynvarsize=1 -c @dies@ */
pid$target:a.out:doomed:entry { a[arg0 + 1] = 1; self->x = 1; }
END { printf("%d\n", a[1]); }
