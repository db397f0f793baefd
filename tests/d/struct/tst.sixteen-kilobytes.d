/* a variable of 16 KB in every scope, stored as a whole and by member */
struct s { int x; char text[16376]; int last; };
struct s g;
self struct s own;
this struct s t;
struct s el[int];
char fill[16384];
BEGIN { g.last = 7; g.text[16375] = 'z'; self->own = g; }
BEGIN { this->t = self->own; el[1] = this->t; this->t.x = 3; fill[16383] = 1; }
BEGIN { printf("%d %c %d %d\n", el[1].last, el[1].text[16375], this->t.x, this->t.last); }
BEGIN { p = fill; printf("%d\n", p[16383]); exit(0); }
ERROR { printf("fault %d\n", arg4); exit(1); }
