#pragma D option ustackframes=2
/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 1/
{
	ustack();
	@[ustack()] = count();
}
