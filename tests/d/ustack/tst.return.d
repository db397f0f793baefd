/* begins in the returning function, at its ret */
/* run: -c @stacks@ */
pid$target:a.out:inner:return
/!self->once++/
{
	ustack(3);
}
