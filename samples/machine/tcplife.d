/* SPDX-License-Identifier: MIT */
/* How long do TCP connections live, and how much do they receive?
 *
 *	dtrace -s tcplife [SECONDS]
 *
 * Prints a line for each that begins and ends meanwhile: the addresses, the ports, the
 * bytes that came, and milliseconds. Of the whole machine, for root; until Ctrl-C, or for
 * so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

#pragma D option switchrate=10hz

BEGIN
{
	printf("%-22s %6s %-22s %6s %10s %8s\n", "LOCAL", "PORT", "REMOTE", "PORT", "RECEIVED",
	    "MS");
}

tcp:::connect-established,tcp:::accept-established
{
	born[args[1]->cs_addr] = timestamp;
	bytes[args[1]->cs_addr] = 0;
}

tcp:::receive
/born[args[1]->cs_addr]/
{
	bytes[args[1]->cs_addr] += args[2]->ip_plength - args[4]->tcp_offset;
}

tcp:::state-change
/args[3]->tcps_state == TCP_STATE_CLOSED && born[args[1]->cs_addr]/
{
	printf("%-22s %6d %-22s %6d %10d %8d\n", args[3]->tcps_laddr, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, bytes[args[1]->cs_addr],
	    (timestamp - born[args[1]->cs_addr]) / 1000000);
	born[args[1]->cs_addr] = 0;
	bytes[args[1]->cs_addr] = 0;
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
