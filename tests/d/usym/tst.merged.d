/* addresses with one name are one row, before rows are sorted, counted by trunc() or printed */
/* run: -c @stacks@ */
pid$target:a.out:middle:entry,pid$target:a.out:inner:entry,pid$target:a.out:mark:entry
{
	@symbols[ufunc(uregs[17] + n++ % 4)] = count();
	@modules[umod(uregs[17])] = count();
	@joined[usym(uregs[17] + n % 2)] = sum(1);
	@cut[usym(uregs[17] + n % 3)] = count();
	@exact[uaddr(uregs[17] + 1)] = count();
}

END
{
	printf("symbols");
	printa(@symbols);
	printf("modules");
	printa("%@d %A\n", @modules);
	printf("joined");
	printa(@symbols, @joined);
	printf("cut");
	trunc(@cut, 1);
	printa(@cut);
	printf("exact");
	printa(@exact);
}
