/* SPDX-License-Identifier: MIT */
/* a report at the end of each interval, here at most one */
/* run: -c @shop@ */
pid$target:a.out:buy:entry
{
	@purchases[copyinstr(arg0)] = count();
}

tick-1hour
{
	printf("one hour passed\n");
	printa(@purchases);
	clear(@purchases);
}
