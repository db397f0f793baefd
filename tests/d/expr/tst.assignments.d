/* every assignment operator */
BEGIN
{
	x = 100; x += 5; printf("%d ", x); x -= 7; printf("%d ", x); x *= 3; printf("%d ", x);
	x /= 4; printf("%d ", x); x %= 10; printf("%d\n", x);
	x = 0xff; x &= 0x3c; printf("%x ", x); x |= 0x41; printf("%x ", x);
	x ^= 0xff; printf("%x ", x); x <<= 4; printf("%x ", x); x >>= 6; printf("%x\n", x);
	x = -9; x /= 2; printf("%d ", x); x = -9; x %= 4; printf("%d ", x);
	x = -9; x >>= 1; printf("%d\n", x);
	exit(0);
}
