/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 4/
{
	seen[ustack(2)]++;
	printf("%d\n", seen[ustack(2)]);
}
