/* run: -c @stacks_static@ */
pid$target:a.out:mark:entry
/arg0 == 1 || arg0 == 3 || arg0 == 7/
{
	ustack(4);
}
