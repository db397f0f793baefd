/* SPDX-License-Identifier: MIT */
/* How long do processes live?
 *
 *	dtrace -s lifetimes [SECONDS]
 *
 * Prints a histogram of milliseconds for each program, of the processes that begin and
 * end meanwhile. Of the whole machine, for root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

proc:::start
{
	born[pid] = timestamp;
}

proc:::exit
/born[pid]/
{
	@ms[execname] = quantize((timestamp - born[pid]) / 1000000);
	born[pid] = 0;
}

END
{
	printa("%s, milliseconds%@d\n", @ms);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
