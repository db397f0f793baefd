/* SPDX-License-Identifier: MIT */
/* Which processes end, why, and how long did they live?
 *
 *	dtrace -s exits -c CMD | -p PID
 *
 *	dtrace -s exits -c samples/demo
 *	dtrace -s exits -p $(pgrep -o make)
 *
 * Prints a line for each process of the family when it ends: milliseconds since the start,
 * the process, its parent, its name, what it ended by (exit, signal, or core for a signal
 * with a core file), the status or the number of the signal, and the milliseconds since it
 * was created (or since dtrace began).
 */
#pragma D option quiet
#pragma D option follow
#pragma D option switchrate=10hz

BEGIN
{
	began = timestamp;
	printf("%8s %8s %8s %-15s %-6s %6s %10s\n", "TIME-MS", "PID", "PARENT", "COMMAND", "END",
	    "STATUS", "LIVED-MS");
}

proc:::create
{
	born[args[0]->pr_pid] = timestamp;
}

proc:::exit
{
	printf("%8d %8d %8d %#-15s %#-6s %6d %10d\n", (timestamp - began) / 1000000, pid, ppid,
	    execname, args[0] == CLD_EXITED ? "exit" : args[0] == CLD_KILLED ? "signal" : "core",
	    arg1, (timestamp - (born[pid] ? born[pid] : began)) / 1000000);
	born[pid] = 0;
}
