/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 1 || arg0 == 10/
{
	printf("%d %d\n", arg0, ustackdepth);
}
