/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 1 || arg0 == 4 || arg0 == 5/
{
	@a[usym(uregs[17])] = count();
	@b[umod(ucaller), uaddr(uregs[17])] = count();
}
