/* NULL is an int that every pointer and string takes */
int *p;
string s;

BEGIN
{
	s = "a";
	p = NULL;
	s = NULL;
	printf("%d %d %d %d\n", sizeof (NULL), p == NULL, NULL == p, s == NULL);
	exit(0);
}
