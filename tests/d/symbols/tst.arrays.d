/* run: -c @typed@ */
pid$target:a.out:nothing:entry
{
	printf("%d %d %d\n", a.out`table[0], a.out`table[3], sizeof (a.out`table));
	printf("%s %d\n", stringof(a.out`buffer), a.out`buffer[1]);
	printf("%d %d %d\n", a.out`points[2].y, a.out`origin.x, (&a.out`points[1])->x);
	printf("%d\n", &a.out`table[2] - &a.out`table[0]);
}
