/* SPDX-License-Identifier: MIT */
BEGIN
{
	print((void *)0x1234);
	print((int *)0);
	print((char **)0xfffffffffffffff8);
	exit(0);
}
