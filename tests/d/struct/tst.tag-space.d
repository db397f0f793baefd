/* tags, types, members and variables have separate names */
struct x { int x; };
typedef struct x xx;
xx x;
union y { int y; } z;

BEGIN
{
	x.x = 3;
	z.y = 4;
	printf("%d %d\n", x.x, z.y);
	exit(0);
}
