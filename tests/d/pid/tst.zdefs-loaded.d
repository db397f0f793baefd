/* with -Z a library that is loaded later gets its probes, before anything of it runs */
/* run: -Z -c "@loader@ @plugin.so@ 2" */
pid$target:plugin.so:plugged:entry { n++; }
pid$target:plugin:plugged:return { m++; }
END { printf("%d %d\n", n, m); }
