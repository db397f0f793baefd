/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 1/
{
	@[ustack(2)] = count();
}
END
{
	printa("%k%@d\n", @);
	printa("%-6k%@d\n", @);
	printa("%20k%@d\n", @);
}
