/* a struct as key counts by its bytes */
struct p { int x, y; };
struct p p;
int a[struct p];

BEGIN
{
	p.x = 1;
	a[p] = 10;
	p.y = 2;
	a[p] = 20;
	p.y = 0;
	printf("%d ", a[p]);
	p.y = 2;
	printf("%d ", a[p]);
	p.y = 3;
	printf("%d\n", a[p]);
	@c[p.x] = sum(a[p]);
	exit(0);
}
