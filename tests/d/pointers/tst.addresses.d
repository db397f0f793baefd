/* & and array decay give the live storage of variables, in every scope and later */
struct s { int x; int arr[3]; char text[8]; struct { short u; } in; };
int a[4];
int *p;
int *q;
int m[2][3];
struct s st;
self struct s ss;
this struct s ts;
self int sa[4];
this int ta[2];

BEGIN { a[1] = 5; p = &a[1]; *p = 6; q = a; q[2] = 7; }
END
{
	printf("%d %d %d %d\n", a[1], a[2], *p, (int)(&a[3] - p));
	printf("%d %d\n", (int)&a[3] - (int)&a[1], (uintptr_t)&a[1] - (uintptr_t)&a[0]);
	printf("%d %d %d\n", &a[4] == a + 4, p == &a[1], q + 1 > p);
}

BEGIN { self->p = self->sa; self->p[2] = 9; *(self->sa + 1) = 4; r = &self->ss.arr[1]; *r = 77; }
END { printf("%d %d %d %d\n", self->sa[1], self->sa[2], self->ss.arr[1], *r); }

BEGIN { this->q = &this->ts.arr[2]; *this->q = 11; this->ts.arr[0] = 3; this->ta[1] = 8; this->r = this->ta; }
BEGIN { printf("%d %d %d\n", this->ts.arr[2], *(this->q - 2), this->r[1]); }

BEGIN
{
	m[1][2] = 8;
	row = m[1];
	row[0] = 5;
	whole = &m;
	printf("%d %d %d %d\n", row[2], m[1][0], m[0][5], (*whole)[1][2]);
	u = &st.in.u;
	*u = -5;
	c = st.text;
	c[0] = 'h';
	c[1] = 'i';
	printf("%d %s %s %d\n", st.in.u, st.text, stringof(c), strlen(c));
	sp = (struct s *)&st.x;
	sp->arr[1]++;
	sp->arr[1] += 2;
	printf("%d %d\n", st.arr[1], sp->in.u);
	v = (void *)&st.arr[1];
	printf("%d\n", *(int *)v);
}

BEGIN
{
	*sp = self->ss;
	bcopy(&st.arr[1], &self->ss.arr[2], sizeof (int));
	printf("%d %d\n", st.arr[1], self->ss.arr[2]);
	self->ss = *sp;
	list[1] = &st.arr[0];
	list[1][2] = 12;
	printf("%d %d\n", self->ss.arr[2], st.arr[2]);
	exit(0);
}

ERROR { printf("fault %d at %x\n", arg4, arg5); }
