/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 2/
{
	ustack(3);
}
