/* stacks of all kinds and depths are keys of one aggregation; so are names of addresses */
/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 1/
{
	@[ustack(3)] = count();
	@[jstack(2)] = count();
	@[stack()] = count();
	@[ustack(1)] = count();
	@names[usym(uregs[17])] = count();
	@names[umod(uregs[17])] = count();
	@names[uaddr(uregs[17] + 1)] = count();
	@other[jstack(3)] = count();
}
