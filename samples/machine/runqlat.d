/* SPDX-License-Identifier: MIT */
/* How long do threads wait for a processor after they were woken?
 *
 *	dtrace -s runqlat [SECONDS]
 *
 * Prints a histogram of microseconds for each program. Of the whole machine, for root;
 * until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

sched:::wakeup
{
	woken[args[0]->pr_lwpid] = timestamp;
}

sched:::on-cpu
/woken[tid]/
{
	@us[execname] = quantize((timestamp - woken[tid]) / 1000);
	woken[tid] = 0;
}

END
{
	printa("%s, microseconds%@d\n", @us);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
