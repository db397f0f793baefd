/* printed by END, when the process has gone */
/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 8/
{
	@[ustack(5)] = count();
}
END
{
	printa(@);
}
