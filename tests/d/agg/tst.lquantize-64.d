/* values of 64 bits are not cut */
BEGIN
{
	@a = lquantize(0x100000005, 0, 10, 5);
	@b = lquantize(-0x7fffffffffffffff - 1, -10, 10, 10);
	@c = lquantize(0x7fffffffffffffff, -2147483648, 0, 65535);
	exit(0);
}
