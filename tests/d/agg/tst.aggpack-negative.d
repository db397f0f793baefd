/* run: -x aggpack -x encoding=ascii */
/* negative counts, negative values */
BEGIN
{
	@[1] = quantize(-4, -3); @[1] = quantize(4, 2); @[1] = quantize(2, -1);
	exit(0);
}
