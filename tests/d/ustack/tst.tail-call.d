/* who tail-called is not on the stack */
/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 10/
{
	ustack(4);
}
