/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 1/
{
	trace(usym(ucaller));
	trace(1);
}
