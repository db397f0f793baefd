/* SPDX-License-Identifier: MIT */
/* Which programs read and write which disks?
 *
 *	dtrace -s diskio [SECONDS]
 *
 * Prints the bytes and the requests by program, disk and direction. The program is the one
 * that hands a request to the disk: a kworker for what was written to the cache. Of the
 * whole machine, for root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

io:::start
{
	this->way = args[0]->b_flags & B_WRITE ? "write" : "read";
	@bytes[execname, args[1]->dev_statname, this->way] = sum(args[0]->b_bcount);
	@requests[execname, args[1]->dev_statname, this->way] = count();
}

END
{
	printf("%-16s %-10s %-6s %14s %10s\n", "PROGRAM", "DISK", "WAY", "BYTES", "REQUESTS");
	printa("%-16s %-10s %-6s %@14d %@10d\n", @bytes, @requests);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
