/* an inline of a variable can be assigned */
int g;
string s;
self int x;
inline int alias = g;
inline string words = s;
inline int mine = self->x;
BEGIN {
	alias = 7;
	alias++;
	words = "written";
	mine += 3;
	printf("%d %s %d\n", g, s, self->x);
	exit(0);
}
