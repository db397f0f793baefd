/* SPDX-License-Identifier: MIT */
/* Which programs make which system calls?
 *
 *	dtrace -s syscount [SECONDS]
 *
 * Prints how often each program made each system call, the most frequent last. Of the whole
 * machine, for root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

syscall:::entry
{
	@calls[execname, probefunc] = count();
}

END
{
	printf("%-16s %-24s %10s\n", "PROGRAM", "CALL", "CALLS");
	printa("%-16s %-24s %@10d\n", @calls);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
