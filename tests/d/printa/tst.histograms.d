/* a histogram in a format is its block */
BEGIN
{
	@q["k"] = quantize(5); @l = lquantize(3, 0, 10, 5);
	printa("%s: %@d.\n", @q); printa("@l = %@d\n", @l); printa(@q);
	exit(0);
}
