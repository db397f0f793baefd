/* arrays of characters as strings, with and without a NUL at the end */
struct s { char full[4]; char after[4]; };
struct s s;
string str;

BEGIN
{
	s.full[0] = 'a'; s.full[1] = 'b'; s.full[2] = 'c'; s.full[3] = 'd';
	s.after[0] = 'x';
	printf("%s %s\n", s.full, s.after);
	str = s.full;
	printf("%s %d %d\n", str, strlen(s.full), str == s.full);
	printf("%d %d\n", s.full == "abcd", "abc" < s.full);
	printf("%s\n", stringof (s.full));
	printf("%s\n", (string)s.after);
	exit(0);
}
