/* SPDX-License-Identifier: MIT */
BEGIN
{
	print(5);
	print(0);
	print(-1);
	print((short)-1);
	print((unsigned short)-1);
	print((unsigned)23);
	print((long)-1);
	print(1 == 1);
	print(4294967296);
	print(18446744073709551615ULL);
	exit(0);
}
