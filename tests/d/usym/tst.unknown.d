/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 1/
{
	usym(1);
	uaddr(0);
	umod(4096);
	ufunc((void *)-1);
}
