/* SPDX-License-Identifier: MIT */
BEGIN
{
	printf("%p %p %p %p\n", (void *)0x10, (char **)0, 255, -1);
	printf("[%?p][%-?p][%?x][%#p]\n", 0x1f, 0x1f, 0x1f, 0x1f);
	exit(0);
}
