/* 0 deletes an element or a self-> variable of struct type */
struct s { int x; long y; };
struct s st;
struct s el[int];
self struct s own;
self struct s by[string];
BEGIN
{
	st.x = 4;
	el[3] = st; self->own = st; self->by["k"] = st;
	printf("%d %d %d\n", el[3].x, self->own.x, self->by["k"].x);
	el[3] = 0; self->own = 0; self->by["k"] = 0;
	printf("%d %d %d\n", el[3].x, self->own.x, self->by["k"].x);
	el[3].y = 2;
	printf("%d %d\n", el[3].x, el[3].y);
	exit(0);
}
