/* strlen */
BEGIN
{
	s = "hello"; printf("%d %d %d\n", strlen(s), strlen(""), sizeof (strlen(s)));
	exit(0);
}
