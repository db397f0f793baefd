/* SPDX-License-Identifier: MIT */
/* Who sends signals to whom?
 *
 *	dtrace -s killers [SECONDS]
 *
 * Prints how often each process sent each signal to each program. The sender 0 is the
 * kernel. Of the whole machine, for root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

proc:::signal-send
{
	@signals[args[3], args[2], execname] = count();
}

END
{
	printf("%8s %6s %-16s %8s\n", "SENDER", "SIGNAL", "PROGRAM", "SIGNALS");
	printa("%8d %6d %-16s %@8d\n", @signals);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
