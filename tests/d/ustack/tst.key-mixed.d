/* beside other keys, and before a histogram */
/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 1/
{
	@a[probefunc, ustack(2), arg0] = sum(7);
	@b[ustack(1)] = quantize(arg0);
}
