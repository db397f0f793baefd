/* eight steps to a power of two: by ones until there are enough integers */
BEGIN
{
	@ = llquantize(1, 2, 0, 5, 8);
	@ = llquantize(7, 2, 0, 5, 8);
	@ = llquantize(8, 2, 0, 5, 8);
	@ = llquantize(10, 2, 0, 5, 8);
	@ = llquantize(32, 2, 0, 5, 8);
	@ = llquantize(63, 2, 0, 5, 8);
	exit(0);
}
