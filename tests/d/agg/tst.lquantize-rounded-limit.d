/* the limit is rounded down to whole levels */
BEGIN
{
	@ = lquantize(8, 0, 10, 3);
	@ = lquantize(9, 0, 10, 3);
	@ = lquantize(10, 0, 10, 3);
	exit(0);
}
