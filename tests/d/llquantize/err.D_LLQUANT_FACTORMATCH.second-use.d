BEGIN
{
	@ = llquantize(1, 10, 0, 6, 20);
	@ = llquantize(1, 2, 0, 6, 4);
	exit(0);
}
