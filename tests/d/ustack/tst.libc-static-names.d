/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 4/
{
	@[umod(ucaller), ufunc(ucaller)] = count();
}
