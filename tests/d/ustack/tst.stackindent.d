#pragma D option stackindent=3
/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 1/
{
	ustack(2);
}
