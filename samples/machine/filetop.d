/* SPDX-License-Identifier: MIT */
/* Which files do programs read and write?
 *
 *	dtrace -s filetop [SECONDS]
 *
 * Prints the calls, and the bytes that they ask for, by program and file, the most calls
 * last. The file is that of the descriptor when the call is seen; <none> and <unknown>:
 * it is closed then, or its process has ended. Of the whole machine, for root; until
 * Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

fsinfo:::read,fsinfo:::write
/pid != $pid/
{
	@calls[execname, probename, args[0]->fi_pathname] = count();
	@bytes[execname, probename, args[0]->fi_pathname] = sum(args[1]);
}

END
{
	printf("%-16s %-6s %-48s %10s %14s\n", "PROGRAM", "WAY", "FILE", "CALLS", "BYTES");
	printa("%-16s %-6s %-48s %@10d %@14d\n", @calls, @bytes);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
