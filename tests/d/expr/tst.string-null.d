/* NULL compares as the empty string */
string n;
BEGIN
{
	e = "";
	printf("%d%d%d\n", n == NULL, e == NULL, n == "");
	s = "x"; printf("%d%d", s == NULL, s != NULL); s = NULL; printf("%d\n", s == NULL);
	exit(0);
}
