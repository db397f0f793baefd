/* run: -c @typed@ */
/* the struct is on the stack, the integer in the first register */
pid$target:a.out:take_big:entry
{
	printf("%d\n", args[1]);
}
