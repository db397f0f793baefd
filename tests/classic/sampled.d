#!/usr/sbin/dtrace -s
/* Rates beside each other; ticks go to one processor.
 * run: */

#pragma D option quiet

tick-10ms
{
	ticks++;
	@names[probename] = count();
}

tick-20ms
/++half == 2/
{
	printf("two of the slower, %s\n", ticks > 0 ? "more of the faster" : "too few");
	exit(0);
}

tick-1sec,
tick-60s
{
	printf("late\n");
}

dtrace:::END
{
	trunc(@names, 1);
	printa("%s\n", @names);
}
