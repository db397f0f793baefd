/* the exit of the process is no status of dtrace */
/* run: -s @file@ -c @dies@ */
pid$target:a.out:doomed:entry { n++; }
END { printf("%d", n); }
