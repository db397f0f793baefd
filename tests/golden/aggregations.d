/* Aggregations, keyed or not, and what acts on them. */
pid$target::f:entry
{
	@ = count();
	@calls[probefunc, arg0 & 0xff] = count();
	@sizes[execname] = quantize(arg1);
	@linear = lquantize(arg1, 0, 100, 10);
	@total[pid] = sum(arg1);
	@largest[1] = max(arg0);
}

tick-1sec
{
	printa("%-20s %5d %@8d\n", @calls);
	trunc(@calls, 5);
	clear(@sizes);
}
