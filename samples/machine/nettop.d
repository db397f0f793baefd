/* SPDX-License-Identifier: MIT */
/* Which programs send by TCP and UDP, and how much?
 *
 *	dtrace -s nettop [SECONDS]
 *
 * Prints the calls and the bytes by program and protocol; of UDP also what they get. Of
 * the whole machine, for root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

tcp:::send
{
	@calls[execname, "tcp", "send"] = count();
	@bytes[execname, "tcp", "send"] = sum(args[2]->ip_plength - args[4]->tcp_offset);
}

udp:::
{
	@calls[execname, "udp", probename] = count();
	@bytes[execname, "udp", probename] = sum(args[4]->udp_length - 8);
}

END
{
	printf("%-16s %-4s %-8s %10s %14s\n", "PROGRAM", "BY", "WAY", "CALLS", "BYTES");
	printa("%-16s %-4s %-8s %@10d %@14d\n", @calls, @bytes);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
