/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 1/
{
	stack();
	@[stack(2)] = count();
	printf("%d %d\n", stackdepth, caller);
}
