#!/usr/sbin/dtrace -s
/* Calls in each interval; the sum of the intervals is all.
 * run: -c "@errands@ steps" */

#pragma D option quiet

pid$target:a.out:leaf:entry
{
	@now = count();
	@all = count();
	now++;
}

profile:::tick-50ms
/now/
{
	intervals++;
	total += now;
	now = 0;
	clear(@now);
}

dtrace:::END
{
	printf("%s intervals\n", intervals <= 30 ? "some" : "too many");
	printf("counted %d\n", total + now);
	printa("in all %@d\n", @all);
	trunc(@now);
}
