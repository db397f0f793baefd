/* run: -x strsize=32 */
struct s { char a; int b[3]; string n; };
struct s g;
int v[3], m[2][5];
string str;
int (*fp)(int, char *);
int (*pa)[4];
char *strings[3];

BEGIN
{
	printf("%d %d %d\n", sizeof (struct s), sizeof (g), sizeof (g.b));
	printf("%d %d %d\n", sizeof (v), sizeof (m), sizeof (m[1]));
	printf("%d %d %d\n", sizeof (str), sizeof (string), sizeof "abc");
	printf("%d %d %d\n", sizeof (fp), sizeof (*pa), sizeof (strings));
	printf("%d %d\n", sizeof (int (*)()), sizeof (char **));
	printf("%d %d %d\n", sizeof (float), sizeof (double), sizeof (long double));
	printf("%d %d\n", sizeof (struct { char c; short s; }), sizeof ('a'));
	printf("%d\n", sizeof (g.b[7 - 5]) + sizeof v[0]);
	exit(0);
}
