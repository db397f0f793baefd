/* a constant condition discards the other branch unchecked */
BEGIN
{
	printf("%d\n", 1 ? 5 : "a" * 2);
	printf("%d\n", 0 ? nosuch : 6);
	exit(0);
}
