/* run: -c @stacks@ */
pid$target:a.out:mark:entry
{
	if (arg0 == 1)
		ustack(1);
	else if (arg0 == 8)
		ustack(2);
}
