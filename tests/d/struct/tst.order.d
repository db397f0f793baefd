/* the right side is evaluated before the whole of the left is read */
struct s { int a, b; };
struct s s;
int v[4];

BEGIN
{
	s.a = (s.b = 3) + 1;
	printf("%d %d\n", s.a, s.b);
	v[0] = (v[1] = (v[2] = 5) + 1) + 1;
	printf("%d %d %d\n", v[0], v[1], v[2]);
	s.a += s.b++;
	printf("%d %d\n", s.a, s.b);
	i = 0;
	v[i++] = i;
	printf("%d %d\n", v[0], i);
	exit(0);
}
