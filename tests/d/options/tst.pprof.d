/* a profile takes the place of the stacks in text; other aggregations are printed */
/* run: -x stackformat=pprof -x pprof=@tmp@/p -x pprofunit=ns */
BEGIN
{
	@a[1] = count();
	@b[ustack()] = sum(1);
	exit(0);
}
