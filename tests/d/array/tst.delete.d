/* storing zero deletes, storing again creates it again */
BEGIN
{
	a["x"] = 5; a["x"] = 0; printf("%d\n", a["x"]);
	a["x"] = 6; printf("%d\n", a["x"]);
	s[1] = "text"; s[1] = NULL; printf("%d\n", s[1] == NULL);
	a["n"]++; a["n"]--; printf("%d\n", a["n"]);
	exit(0);
}
