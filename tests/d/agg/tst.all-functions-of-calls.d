/* every aggregating function over the 5950 calls of alpha() */
/* run: -o @tmp@/out -c @plain@ */
pid$target:a.out:alpha:entry
{
	@n = count(); @s = sum(arg0); @a = avg(arg0); @lo = min(arg0); @hi = max(arg0);
	@d = stddev(arg0); @q = quantize(arg0); @l = lquantize(arg0, 0, 1000, 100);
	@ll = llquantize(arg0, 10, 0, 2, 10); @k[arg0 % 10, probefunc] = count();
}
