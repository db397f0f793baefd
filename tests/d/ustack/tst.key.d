/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 1 || arg0 == 8/
{
	@[ustack(3)] = count();
}
