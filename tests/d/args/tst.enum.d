/* run: -c @typed@ */
pid$target:a.out:take_item:entry
/args[1] == BLUE && args[1] != RED/
{
	printf("%d %d %d\n", args[1], args[1] < GREEN, args[2]);
}
pid$target:a.out:wide:entry
{
	printf("%d %d %d\n", sizeof (args[0]), args[0] == WIDE, args[0] > NARROW);
}
