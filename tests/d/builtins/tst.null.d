/* NULL is a zero of type int */
BEGIN
{
	printf("%d %d\n", NULL, sizeof (NULL)); p = (char *)5; p = NULL; printf("%p\n", p);
	exit(0);
}
