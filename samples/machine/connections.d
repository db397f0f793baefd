/* SPDX-License-Identifier: MIT */
/* Who connects to whom by TCP?
 *
 *	dtrace -s connections [SECONDS]
 *
 * Prints a line for each connection that is made here, accepted here or refused there:
 * the program, which is known only of the one that connects, the addresses and the port
 * of the one that accepts. Of the whole machine, for root; until Ctrl-C, or for so many
 * seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

#pragma D option switchrate=10hz

BEGIN
{
	printf("%-9s %-16s %-24s %-24s %6s\n", "EVENT", "PROGRAM", "LOCAL", "REMOTE", "PORT");
}

tcp:::connect-request
{
	printf("%-9s %-16s %-24s %-24s %6d\n", "connect", execname, args[3]->tcps_laddr,
	    args[3]->tcps_raddr, args[3]->tcps_rport);
}

tcp:::connect-refused
{
	printf("%-9s %-16s %-24s %-24s %6d\n", "refused", "", args[3]->tcps_laddr,
	    args[3]->tcps_raddr, args[3]->tcps_rport);
}

tcp:::accept-established
{
	printf("%-9s %-16s %-24s %-24s %6d\n", "accept", "", args[3]->tcps_laddr,
	    args[3]->tcps_raddr, args[3]->tcps_lport);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
