/* A program whose places are not known, where one was whose are: no old place is used. */
/* run: -qs @file@ -c "@chained_nopie@ 3 @chained_other@ 4 @chained_nopie@ 5" */
pid$target:a.out:work:entry { printf("entry %d\n", locals.n); }
pid$target:a.out:work:chained.c@24 { @n[locals.n] = count(); @calls = sum(locals.calls); }
