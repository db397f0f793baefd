/* run: -c @typed_nopie@ */
pid$target:a.out:take_item:entry
{
	printf("%d %d %d %d\n", args[0]->flags.a, args[0]->flags.b, args[0]->flags.c, args[0]->flags.d);
}
pid$target:a.out:nothing:entry
{
	printf("%d %d %x %x\n", a.out`tight.tag, a.out`tight.value, a.out`tight.low, a.out`tight.high);
	printf("%d %d\n", a.out`flags.b, a.out`flags.c);
}
