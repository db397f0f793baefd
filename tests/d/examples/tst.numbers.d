/* SPDX-License-Identifier: MIT */
BEGIN
{
	printf("%s %s %s %d\n", lltostr(255, 16), lltostr(-5), lltostr(8, 8),
	    strtoll("0x1f", 16));
	exit(0);
}
