/* an address means the same to BEGIN, to threads of the target, and to END */
/* run: -c @records@ */
struct s { long n; int seen[4]; };
struct s st;
self struct s own;
long a[4];
long *first;
int *last;
BEGIN { first = &a[1]; *first = 1; last = st.seen; }
pid$target:a.out:visit:entry { *first += 10; last[3]++; made = &self->own.seen[1]; *made = 21; link = &a[3]; *link = 4; }
pid$target:a.out:visit:return { *first += 100; link[-1] = 9; last[3]++; self->own.n = *made; printf("%d\n", self->own.n); }
END
{
	printf("%d %d %d %d\n", a[1] % 10, a[1] > 100, a[2], *link);
	printf("%d %d\n", st.seen[3] > 1, st.seen[3] == last[3]);
}
