/* in the middle of the prologue of every function on the way */
/* run: -c @stacks@ */
pid$target:a.out:middle:0,pid$target:a.out:middle:4
/!self->n[probename]++/
{
	ustack(2);
}
