/* blanks, a sign, digits; the rest is left alone */
BEGIN
{
	printf("%d\n", strtoll("0"));
	printf("%d\n", strtoll("  \t42"));
	printf("%d\n", strtoll("-17"));
	printf("%d\n", strtoll("+17"));
	printf("%d\n", strtoll("12abc"));
	printf("%d\n", strtoll(""));
	printf("%d\n", strtoll("abc"));
	printf("%d\n", strtoll("- 5"));
	printf("%d\n", strtoll("0x10"));
	printf("%d\n", strtoll("0x10", 16));
	printf("%d\n", strtoll("0X1F", 16));
	printf("%d\n", strtoll("ff", 16));
	printf("%d\n", strtoll("-ff", 16));
	printf("%d\n", strtoll("0x", 16));
	printf("%d\n", strtoll("777", 8));
	printf("%d\n", strtoll("789", 8));
	printf("%d\n", strtoll("zz", 36));
	printf("%d\n", strtoll("ZZ", 36));
	printf("%d\n", strtoll("101", 2));
	printf("%d\n", strtoll("9223372036854775807"));
	printf("%d\n", strtoll("-9223372036854775808"));
	printf("%d\n", strtoll("18446744073709551615"));
	printf("%d\n", strtoll("9223372036854775808"));
	exit(0);
}
