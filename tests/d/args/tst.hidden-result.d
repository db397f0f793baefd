/* run: -c @typed@ */
/* the place for the result is the first thing passed, but no parameter */
pid$target:a.out:make_big:entry
{
	printf("%d %s\n", args[0], stringof(args[1]));
}
pid$target:a.out:make_big:return
{
	printf("%d %d\n", sizeof (args[1]), *(userland long *)arg1);
}
