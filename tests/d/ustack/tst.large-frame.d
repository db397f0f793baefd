/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 8/
{
	ustack(5);
}
