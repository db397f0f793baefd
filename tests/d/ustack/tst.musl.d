/* A C library without unwind tables: main() is called by code that is known to begin. */
/* run: -s @file@ -c @stacks_musl@ */
pid$target:a.out:mark:entry
/arg0 == 1/
{
	printf("%d", ustackdepth);
	ustack();
}
