/* frames of the C library between */
/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 4/
{
	self->n++;
}
pid$target:a.out:mark:entry
/self->n == 1 && arg0 == 4/
{
	ustack();
}
