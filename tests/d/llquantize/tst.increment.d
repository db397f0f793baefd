/* the increment may be any expression, negative or zero */
BEGIN
{
	this->n = 3;
	@ = llquantize(5, 2, 0, 4, 2, this->n);
	@ = llquantize(4, 2, 0, 4, 2, -1);
	@ = llquantize(16, 2, 0, 4, 2, 0);
	@ = llquantize(17, 2, 0, 4, 2, -2);
	exit(0);
}
