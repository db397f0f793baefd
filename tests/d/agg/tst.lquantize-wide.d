/* a value of more than 32 bits is not cut */
BEGIN
{
	@ = lquantize(0x100000001, 0, 4); @ = lquantize(0xffffffff, 0, 4); @ = lquantize(-1L, 0, 4);
	exit(0);
}
