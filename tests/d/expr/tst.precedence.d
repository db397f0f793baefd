/* every level binds as documented */
BEGIN
{
	printf("%d %d %d %d\n", 2 + 3 * 4, 1 << 2 + 1, 7 & 3 == 3, 1 | 2 ^ 3 & 1);
	printf("%d %d %d %d\n", 1 || 0 ^^ 1, 0 && 1 ^^ 1, 1 ^^ 1 && 0, -2 * 3);
	printf("%d %d %d %d\n", !1 + 1, ~1 & 3, 10 - 4 - 3, 100 / 10 / 5);
	printf("%d %d %d %d\n", 2 * 3 % 4, 1 < 2 == 1, 5 > 4 > 3, 1 ? 2 : 0 ? 3 : 4);
	printf("%d %d %d\n", 16 >> 1 << 2, 6 & 5 ^ 1, (2 + 3) * 4);
	printf("%d %d\n", sizeof (int) * 2, -sizeof (char) == -1);
	x = 1; y = x + 1 == 2 && x | 4; printf("%d\n", y);
	exit(0);
}
