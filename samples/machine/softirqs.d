/* SPDX-License-Identifier: MIT */
/* How long do software interrupts take?
 *
 *	dtrace -s softirqs [SECONDS]
 *
 * Prints for each number (0 hi, 1 timer, 2 net-tx, 3 net-rx, 4 block, 6 tasklet, 7 sched, 9
 * rcu) how many there were, and their microseconds. Of the whole machine, for root; until
 * Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

sdt:irq::softirq_entry
{
	began[cpu] = timestamp;
}

sdt:irq::softirq_exit
/began[cpu]/
{
	@number[args[0]->vec] = count();
	@us[args[0]->vec] = sum((timestamp - began[cpu]) / 1000);
	began[cpu] = 0;
}

END
{
	printf("%8s %10s %10s\n", "SOFTIRQ", "NUMBER", "US");
	printa("%8d %@10d %@10d\n", @number, @us);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
