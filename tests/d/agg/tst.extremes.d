/* the ends of 64 bits */
BEGIN
{
	@n = min(0x7fffffffffffffff); @x = max(-0x7fffffffffffffff - 1);
	@m = max(0x7fffffffffffffff); @m = max(0); @k = min(0); @k = min(-0x7fffffffffffffff - 1);
	exit(0);
}
