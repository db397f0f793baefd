/* run: -c @shapes@ */
pid$target:a.out:_ZNK5shape4areaEi:entry
{
	/* members of base classes are members */
	printf("%d %s %d %d\n", args[0]->id, stringof(args[0]->name), args[0]->sides, args[1]);
}
pid$target:a.out:use:entry
{
	/* a reference is a pointer */
	printf("%d %d\n", args[0]->what == SQUARE, args[1]->value);
}
pid$target:a.out:by_value:entry
{
	/* a class with a destructor is passed as its address */
	printf("%d %s %d\n", args[0].id, stringof(args[0].name), args[1]);
	printf("%d %d\n", a.out`depth, sizeof (struct a.out`shape));
}
