/* Several errors of one run, each where it stands. */
BEGIN
{
	x = undefined + 1;
	y = nosuch(1);
	@a = count(2, 3);
	printf("%d %s\n", "text");
}
