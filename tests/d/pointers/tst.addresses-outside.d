/* outside the variable an access through a pointer faults; so does one to a freed one */
struct s { int x; int arr[3]; int y; };
struct s st;
int a[4];
int b[4];
int el[int][4];
self struct s ss;

BEGIN { p = &a[4]; trace(*p); }
BEGIN { p = &a[0]; p[-1] = 1; }
BEGIN { p = &a[3]; *(long *)p = -1; }
BEGIN { i = -1; p = b; p += i; trace(*p); }
BEGIN { st.arr[3] = 4; el[1][2] = 3; i = 2; printf("y %d %d\n", st.y, el[1][i]); }
BEGIN { st.arr[4] = 1; }
BEGIN { el[1][4] = 1; }
BEGIN { el[1][-1] = 1; }
BEGIN { bcopy(a, &b[1], sizeof (a)); }
BEGIN { self->ss.x = 1; p = &self->ss.arr[0]; *p = 8; printf("%d\n", self->ss.arr[0]); }
BEGIN { self->ss = 0; trace(*p); }
BEGIN { self->ss.x = 2; printf("%d %d %d %d\n", self->ss.arr[0], a[3], b[0], b[3]); }
BEGIN { q = (int *)0xffffd47fffff0000; *q = 1; }
BEGIN { q = (int *)0xfff8ffffffff0000; *q = 1; }
BEGIN { exit(0); }

ERROR { printf("fault %d\n", arg4); }
