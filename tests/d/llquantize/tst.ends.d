/* below factor^low: 0 and all negative values; from factor^(high + 1) on */
BEGIN
{
	@ = llquantize(99, 10, 2, 3, 10);
	@ = llquantize(0, 10, 2, 3, 10);
	@ = llquantize(-5000, 10, 2, 3, 10);
	@ = llquantize(10000, 10, 2, 3, 10);
	@ = llquantize(9223372036854775807, 10, 2, 3, 10);
	exit(0);
}
