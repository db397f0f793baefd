/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 1/
{
	ustack();
}
