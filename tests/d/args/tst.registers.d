/* run: -c @typed@ */
/* a floating-point value and a small struct come before these in the list */
pid$target:a.out:mixed:entry
{
	printf("%d %d %s\n", args[1], args[3], stringof(args[5]));
}
