/* numbers wider than their column push the rest on */
BEGIN
{
	@[123456789, -2147483647, 12345678901234567] = sum(12345678901234567);
	exit(0);
}
