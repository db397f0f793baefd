/* SPDX-License-Identifier: MIT */
/* Which programs leave a processor, because they wait or because they must?
 *
 *	dtrace -s switches [SECONDS]
 *
 * Prints how often by program. Of the whole machine, for root; until Ctrl-C, or for so
 * many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

sched:::sleep
{
	@waits[execname] = count();
}

sched:::preempt
{
	@must[execname] = count();
}

END
{
	printf("%-16s %10s %10s\n", "PROGRAM", "WAITS", "MUST");
	printa("%-16s %@10d %@10d\n", @waits, @must);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
