/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 1/
{
	@[usym(ucaller), umod(ucaller), uaddr(ucaller), ucaller] = count();
}
END
{
	printa("[%A] [%20A] [%-24a] [%A] %@d\n", @);
}
