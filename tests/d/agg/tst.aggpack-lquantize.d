/* run: -x aggpack -x encoding=ascii */
/* every bucket of lquantize() */
BEGIN
{
	@[1] = lquantize(3, 0, 10); @[1] = lquantize(99, 0, 10); @[1] = lquantize(3, 0, 10);
	@[2] = lquantize(-1, 0, 10, 1, 7);
	exit(0);
}
