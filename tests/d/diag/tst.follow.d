/* and so have children that are followed */
/* run: -x follow -c @forker@ */
fpid$target:a.out::entry { n++; }
diag:::fpid { m++; other |= pid != $target; }
END { printf("%d %d\n", n == m, other); }
