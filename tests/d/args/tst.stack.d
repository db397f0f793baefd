/* run: -c @typed@ */
pid$target:a.out:many:entry
{
	printf("%d %d %d %d %d\n", args[0], args[5], args[6], args[7], args[9]);
}
