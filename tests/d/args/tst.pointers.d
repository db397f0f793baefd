/* run: -c @typed@ */
pid$target:a.out:array_and_callback:entry
{
	printf("%d %d %s", args[0][1], *(args[0] + 3), stringof(args[1][1]));
	printf(" %d\n", args[3] == NULL);
}
