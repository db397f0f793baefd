/* negative bounds, values on bucket boundaries */
BEGIN
{
	@ = lquantize(-11, -10, 10, 5);
	@ = lquantize(-10, -10, 10, 5);
	@ = lquantize(-6, -10, 10, 5);
	@ = lquantize(-5, -10, 10, 5);
	@ = lquantize(-1, -10, 10, 5);
	@ = lquantize(0, -10, 10, 5);
	@ = lquantize(4, -10, 10, 5);
	@ = lquantize(5, -10, 10, 5);
	@ = lquantize(9, -10, 10, 5);
	@ = lquantize(10, -10, 10, 5);
	@ = lquantize(11, -10, 10, 5);
	exit(0);
}
