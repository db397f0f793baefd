/* run: -c @typed_nopie@ */
pid$target:a.out:narrow:entry
{
	printf("%d %d %d %u\n", args[0], args[1], args[2], args[3]);
}
pid$target:a.out:take_item:entry
/args[1] == BLUE/
{
	printf("%d %d\n", args[2], a.out`counter);
}
