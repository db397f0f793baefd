/* SPDX-License-Identifier: MIT */
BEGIN
{
	printf("[%s][%s][%s][%s]\n", substr("foobar", -3), substr("foobar", 2, -1),
	    substr("foobar", 9), substr("foobar", 0, 99));
	exit(0);
}
