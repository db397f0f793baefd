/* run: -c @typed@ */
pid$target:a.out:nothing:entry
{
	printf("%s %s\n", stringof(a.out`first.name), stringof(a.out`first.next->name));
	printf("%d %d\n", a.out`where->x, a.out`unnamed.x);
	printf("%d %d %d\n", sizeof (a.out`first), sizeof (a.out`first.matrix), sizeof (struct a.out`item));
}
