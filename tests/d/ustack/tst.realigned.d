/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 3/
{
	ustack(3);
}
