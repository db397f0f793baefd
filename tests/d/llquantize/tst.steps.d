/* from 1 on by ones, from 10 on by fives, and so on: 20 steps for a factor of 10 */
BEGIN
{
	@ = llquantize(1, 10, 0, 2, 20);
	@ = llquantize(9, 10, 0, 2, 20);
	@ = llquantize(10, 10, 0, 2, 20);
	@ = llquantize(14, 10, 0, 2, 20);
	@ = llquantize(15, 10, 0, 2, 20);
	@ = llquantize(99, 10, 0, 2, 20);
	@ = llquantize(100, 10, 0, 2, 20);
	@ = llquantize(999, 10, 0, 2, 20);
	exit(0);
}
