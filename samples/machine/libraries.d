/* SPDX-License-Identifier: MIT */
/* Which libraries do programs load?
 *
 *	dtrace -s libraries [SECONDS]
 *	dtrace -x evaltime=exec -s libraries -c COMMAND
 *
 * Prints each file that a program maps as code, how often it was mapped, and its bytes there.
 * Of the whole machine, for root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

library:::load
{
	@loads[execname, args[0]] = count();
	@bytes[execname, args[0]] = max(args[2]);
}

END
{
	printf("%-16s %-60s %6s %10s\n", "PROGRAM", "FILE", "LOADS", "BYTES");
	printa("%-16s %-60s %@6d %@10d\n", @loads, @bytes);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
