/* run: -c @typed@ */
pid$target:a.out:narrow:entry
{
	/* each has its own width and sign, whatever the register holds above it */
	printf("%d %d %d %u", args[0], args[1], args[2], args[3]);
	printf(" %d %d", args[1] < 0, args[3] > 0);
	printf(" %d %d %d %d\n", sizeof (args[0]), sizeof (args[1]), sizeof (args[2]),
	    sizeof (args[3]));
}
