/* every form of declarator */
int (*fp)(int, char *);
int (*table[3])(void);
char (*(*deep)[2])[3];
extern int foo(int, ...);
int bar(char *, const struct later *);
typedef int (*handler_t)(int);
handler_t h;
typedef int vec_t[3];
vec_t v;
const char *const names[2];
struct s { int (*call)(struct s *); vec_t v; } x;

BEGIN
{
	printf("%d %d %d\n", sizeof (table), sizeof (*deep), sizeof (**deep));
	printf("%d %d %d\n", fp == NULL, h == x.call, sizeof (names));
	v[2] = 5;
	x.v[1] = v[2];
	printf("%d %d\n", x.v[1], sizeof (x));
	printf("%d %d\n", sizeof (int (*)[3]), sizeof (char *(*[2])(int)));
	exit(0);
}
