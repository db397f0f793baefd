/* nanoseconds since 1970 */
BEGIN
{
	y = walltimestamp / 1000000000 / 31556952 + 1970; printf("%d %d\n", y >= 2024 && y < 2200, sizeof (walltimestamp));
	exit(0);
}
