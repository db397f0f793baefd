/* the right side of a comparison may be an enumerator, never another variable */
enum color { RED, GREEN };
struct s { enum color c : 4; enum color d; };
struct s s;

BEGIN
{
	s.c = GREEN;
	s.d = RED;
	printf("%d %d %d\n", s.c == GREEN, s.d == GREEN, s.c > RED);
	exit(0);
}
