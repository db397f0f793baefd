/* SPDX-License-Identifier: MIT */
/* Which programs are executed, and by whom?
 *
 *	dtrace -s newprocs [SECONDS]
 *
 * Prints a line for each: milliseconds since the start, the process, its parent, and the
 * command line. Of the whole machine, for root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

#pragma D option switchrate=10hz

BEGIN
{
	began = timestamp;
	printf("%8s %8s %8s %-24s %s\n", "TIME-MS", "PID", "PARENT", "FILE", "COMMAND");
}

sdt:sched::sched_process_exec
{
	printf("%8d %8d %8d %-24s %S\n", (timestamp - began) / 1000000, pid, ppid,
	    args[0]->filename, curpsinfo->pr_psargs);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
