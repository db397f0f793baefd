/* run: -c @stacks_O0@ */
pid$target:a.out:mark:entry
/arg0 == 1 || arg0 == 3/
{
	ustack(4);
}
