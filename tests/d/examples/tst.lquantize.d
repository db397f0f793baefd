BEGIN
{
	@ = lquantize(-1, 0, 10, 2); @ = lquantize(0, 0, 10, 2);
	@ = lquantize(3, 0, 10, 2); @ = lquantize(9, 0, 10, 2);
	@ = lquantize(12, 0, 10, 2);
	exit(0);
}
