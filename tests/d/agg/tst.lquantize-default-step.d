/* the step defaults to 1 */
BEGIN
{
	@ = lquantize(0, 0, 5);
	@ = lquantize(1, 0, 5);
	@ = lquantize(1, 0, 5);
	@ = lquantize(4, 0, 5);
	@ = lquantize(5, 0, 5);
	@ = lquantize(-1, 0, 5);
	exit(0);
}
