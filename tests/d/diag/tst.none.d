/* nothing but fpid has such events */
/* run: -c @once@ */
p[i]d$target:a.out:f:entry { n++; }
diag:::fpid { m++; }
END { printf("%d %d\n", n, m); }
