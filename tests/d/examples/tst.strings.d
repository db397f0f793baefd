/* SPDX-License-Identifier: MIT */
BEGIN
{
	printf("%s %d %d %d %s\n", strjoin("ab", "cd"), strlen("hello"),
	    index("hello", "l"), rindex("hello", "l"), substr("hello", 1, 3));
	printf("%s %s %s\n", strchr("hello", 'l'), strrchr("hello", 'l'),
	    strstr("hello", "ell"));
	exit(0);
}
