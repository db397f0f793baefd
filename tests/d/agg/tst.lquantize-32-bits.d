/* the value is taken as a signed 32-bit number */
BEGIN
{
	@ = lquantize(0x100000001, 0, 4); @ = lquantize(0xffffffff, 0, 4); @ = lquantize(-1L, 0, 4);
	exit(0);
}
