/* NULL and empty strings print nothing */
string s;
BEGIN
{
	printf("[%s][%s][%5s]\n", s, "", s);
	exit(0);
}
