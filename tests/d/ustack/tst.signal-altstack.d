/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 6/
{
	ustack();
}
