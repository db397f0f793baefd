/* SPDX-License-Identifier: MIT */
/* How long do threads run before they leave a processor?
 *
 *	dtrace -s runtimes [SECONDS]
 *
 * Prints a histogram of microseconds for each program, and how often it was preempted. Of
 * the whole machine, for root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

sched:::on-cpu
{
	self->came = timestamp;
}

sched:::off-cpu
/self->came/
{
	@us[execname] = quantize((timestamp - self->came) / 1000);
	self->came = 0;
}

sched:::preempt
{
	@preempted[execname] = count();
}

END
{
	printa("%s, microseconds%@d\n", @us);
	printa("%-16s preempted %@d times\n", @preempted);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
