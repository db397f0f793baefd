/* NULL compares as the empty string */
string n;
BEGIN
{
	e = "";
	printf("%d%d%d\n", n == NULL, e == NULL, n == "");
	s = "x"; printf("%d%d", s == NULL, s != NULL); s = NULL; printf("%d [%s]\n", s == NULL, s);
	exit(0);
}
