#pragma D option jstackframes=3
/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 1/
{
	jstack();
	jstack(1);
	jstack(2, 100);
}
