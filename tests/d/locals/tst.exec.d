/* Programs and a library that are loaded again, elsewhere: in the process, in its children. */
/* run: -qs @file@ -x follow -x setenv=LD_PRELOAD=@chained_plugin.so@ -c "@chained@ 3 @chained_plugin.so@ @chained@ 4 fork 5 @chained@ 6 @chained_plugin.so@" */
pid$target:chained:work:entry { printf("entry %d\n", locals.n); }
pid$target:chained*:work:chained.c@24 { printf("line %d %d\n", locals.twice, locals.calls); }
pid$target:chained*:work:return { @n[locals.n] = count(); @twice = sum(locals.twice); }
