/* a factor of 2 up to the largest magnitude */
BEGIN
{
	@ = llquantize(1, 2, 0, 63, 2);
	@ = llquantize(2, 2, 0, 63, 2);
	@ = llquantize(3, 2, 0, 63, 2);
	@top = llquantize(9223372036854775807, 2, 60, 62, 2);
	exit(0);
}
