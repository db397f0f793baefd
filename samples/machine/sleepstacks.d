/* SPDX-License-Identifier: MIT */
/* Where in the kernel do programs sleep, and for how long?
 *
 *	dtrace -s sleepstacks [SECONDS]
 *
 * Prints for each program and stack of the kernel the microseconds asleep, the longest
 * last. Of the whole machine, for root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

sched:::sleep
{
	self->since = timestamp;
	self->asleep = 1;
	@stacks[execname, stack(8)] = count();
}

sched:::on-cpu
/self->asleep/
{
	@us[execname] = sum((timestamp - self->since) / 1000);
	self->asleep = 0;
}

END
{
	trunc(@stacks, 20);
	printa("%s%k%@d times\n", @stacks);
	printf("\n%-16s %14s\n", "PROGRAM", "ASLEEP-US");
	printa("%-16s %@14d\n", @us);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
