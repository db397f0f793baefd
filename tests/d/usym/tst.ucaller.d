/* at an entry, in the middle, and at a return */
/* run: -c @stacks@ */
pid$target:a.out:middle:entry,pid$target:a.out:middle:4,pid$target:a.out:middle:return
/self->n++ < 3/
{
	printf("%A\n", ucaller);
}
