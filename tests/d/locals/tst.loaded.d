/* A library that is loaded later, with probes of a description that matched before. */
/* run: -qs @file@ -c "@chained@ 3 @chained_plugin.so@ 4" */
pid$target:chained*:work:entry { @n[locals.n] = count(); }
ERROR { @[arg4] = count(); }
