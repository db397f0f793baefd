/* SPDX-License-Identifier: MIT */
BEGIN
{
	printf("%s %s %s\n", basename("/usr/lib/"), dirname("/usr/lib/"),
	    cleanpath("/a/./b/../c//d"));
	exit(0);
}
