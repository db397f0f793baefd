#!/usr/sbin/dtrace -s
/* Signals by sender and receiver.
 * run: -x follow -c "@errands@ signals" */

#pragma D option quiet

proc:::signal-send
/args[2] != SIGCHLD/
{
	@[args[3] == $target ? "main" : "?", args[1]->pr_pid == $target ? "main" : "child",
	    args[2]] = count();
}

proc:::signal-handle
{
	@handled[pid == $target ? "main" : "child", args[0]] = count();
}

dtrace:::END
{
	printf("%-6s %-6s %3s %s\n", "FROM", "TO", "SIG", "COUNT");
	printa("%-6s %-6s %3d %@d\n", @);
	printa("handled by %-6s %3d %@d\n", @handled);
}
