/* SPDX-License-Identifier: MIT */
/* Which TCP segments are sent again, or reset their connection?
 *
 *	dtrace -s retransmits [SECONDS]
 *
 * Prints how often, by the address of the other side and its port; the state is that of
 * the connection. Of the whole machine, for root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

sdt:tcp::tcp_retransmit_skb
{
	@again["again", tcp_state_string[args[0]->state], args[0]->dport] = count();
}

sdt:tcp::tcp_receive_reset
{
	@again["reset by it", "", args[0]->dport] = count();
}

sdt:tcp::tcp_send_reset
{
	@again["reset here", "", 0] = count();
}

END
{
	printf("%-12s %-20s %6s %8s\n", "EVENT", "STATE", "PORT", "TIMES");
	printa("%-12s %-20s %6d %@8d\n", @again);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
