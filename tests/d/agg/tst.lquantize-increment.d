/* increments, negative ones too */
BEGIN
{
	@ = lquantize(5, 0, 100, 10, 7); @ = lquantize(15, 0, 100, 10, -4); @z = lquantize(5, 0, 100, 10, 0);
	exit(0);
}
