/* SPDX-License-Identifier: MIT */
/* Which files do the disks' requests of each program belong to?
 *
 *	dtrace -s diskfiles [SECONDS]
 *
 * Prints the bytes by program, direction and file. "<none>" are the file systems' own
 * blocks, what a kworker writes for others, and files that were closed at once. Of the whole
 * machine, for root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

io:::start
{
	@[execname, args[0]->b_flags & B_WRITE ? "write" : "read", args[2]->fi_pathname] =
	    sum(args[0]->b_bcount);
}

END
{
	printa("%-16s %-6s %-50s %@12d\n", @);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
