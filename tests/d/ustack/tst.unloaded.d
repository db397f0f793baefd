/* named when the library has long gone, each time */
/* run: -o @tmp@/out -Z -c "@loader@ @plugin.so@ 2" */
pid$target:plugin.so:plugged:entry
/arg0 == 3/
{
	ustack(2);
	@[ustack(2)] = count();
}
