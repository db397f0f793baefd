/* equal totals: the bucket whose label counts as 0 decides, also "< 1" and ">= -1" */
BEGIN
{
	@low[1] = lquantize(0, 1, 9, 2, 4);
	@low[2] = lquantize(0, 1, 9, 2, -3);
	@low[3] = lquantize(0, 1, 9, 2, -1);
	@high[1] = lquantize(0, -9, -1, 2, 4);
	@high[2] = lquantize(0, -9, -1, 2, -3);
	@high[3] = lquantize(0, -9, -1, 2, -1);
	exit(0);
}
