/* SPDX-License-Identifier: MIT */
/* Which system calls fail, and why?
 *
 *	dtrace -s callfails [SECONDS]
 *
 * Prints their number by program, call and error. Of the whole machine, for root; until
 * Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

syscall:::return
/errno/
{
	@fails[execname, probefunc, errno] = count();
}

END
{
	printf("%-16s %-24s %5s %8s\n", "PROGRAM", "CALL", "ERROR", "TIMES");
	printa("%-16s %-24s %5d %@8d\n", @fails);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
