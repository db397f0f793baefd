/* SPDX-License-Identifier: MIT */
/* Which devices interrupt which processors?
 *
 *	dtrace -s interrupts [SECONDS]
 *
 * Prints the interrupts by device and processor, and the microseconds in their handlers.
 * Of the whole machine, for root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

irq:::isr-entry
{
	began[cpu] = timestamp;
	device[cpu] = args[1];
}

irq:::isr-return
/began[cpu]/
{
	@times[device[cpu], args[0], cpu] = count();
	@us[device[cpu], args[0], cpu] = sum((timestamp - began[cpu]) / 1000);
	began[cpu] = 0;
}

END
{
	printf("%-24s %4s %4s %10s %10s\n", "DEVICE", "IRQ", "CPU", "TIMES", "US");
	printa("%-24s %4d %4d %@10d %@10d\n", @times, @us);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
