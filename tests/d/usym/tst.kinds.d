/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 1/
{
	usym(ucaller);
	ufunc(ucaller);
	uaddr(ucaller);
	umod(ucaller);
	printf("|\n");
	usym(uregs[17]);
	uaddr(uregs[17]);
}
