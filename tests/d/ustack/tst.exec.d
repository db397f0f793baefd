/* the image that was replaced keeps its names */
/* run: -Z -c "@execer@ @stacks@" */
pid$target:a.out:before:entry
{
	@[ustack(2)] = count();
}
pid$target:a.out:mar[k]:entry
/arg0 == 1/
{
	ustack(2);
}
