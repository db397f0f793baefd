/* a library that comes later has events as well */
/* run: -Z -c "@loader@ @plugin.so@ 3" */
fpid$target:plugin.so:plugged:entry, fpid$target:plugin.so:plugged:return { n++; }
diag:::fpid { m++; }
diag:::site { s++; }
END { printf("%d %d %d\n", n == m, n, s); }
