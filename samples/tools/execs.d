/* SPDX-License-Identifier: MIT */
/* Which programs are executed, with which arguments, and how does each end?
 *
 *	dtrace -s execs -c CMD | -p PID
 *
 *	dtrace -s execs -c 'sh -c "ls; true"'
 *	dtrace -s execs -p $(pgrep -o make)
 *
 * Prints a line for each exec of the process and of its children: milliseconds since the
 * start, the process, its parent, and the command line; a line with the error for one that
 * failed.
 */
#pragma D option quiet
#pragma D option follow
#pragma D option switchrate=10hz

BEGIN
{
	began = timestamp;
	printf("%8s %8s %8s %5s %s\n", "TIME-MS", "PID", "PARENT", "ERRNO", "COMMAND");
}

proc:::exec
{
	self->path = args[0];
}

proc:::exec-success
{
	printf("%8d %8d %8d %5d %S\n", (timestamp - began) / 1000000, pid, ppid, 0,
	    curpsinfo->pr_psargs);
}

proc:::exec-failure
{
	printf("%8d %8d %8d %5d %S\n", (timestamp - began) / 1000000, pid, ppid, args[0],
	    self->path);
}
