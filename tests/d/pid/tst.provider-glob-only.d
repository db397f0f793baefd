/* a glob without a number makes no probes: it is for those that others make */
/* run: -c @once@ */
pid$target:a.out:f:entry { n++; }
*pid*:::entry { m++; }
END { printf("%d %d\n", n, m); }
