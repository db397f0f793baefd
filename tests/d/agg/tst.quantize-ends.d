/* the lowest and highest buckets have no empty neighbour */
BEGIN
{
	@a = quantize(0x7fffffffffffffff); @a = quantize(1L << 61);
	@b = quantize(-0x7fffffffffffffff); @b = quantize(-(1L << 61));
	exit(0);
}
