/* SPDX-License-Identifier: MIT */
/* Which files are opened, and by whom?
 *
 *	dtrace -s openfiles [SECONDS]
 *
 * Prints a line for each: the program, its process, and the path. The file is that of the
 * descriptor when the call is seen; one that is closed then is left out. Of the whole
 * machine, for root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

#pragma D option switchrate=10hz

BEGIN
{
	printf("%-16s %8s %s\n", "PROGRAM", "PID", "PATH");
}

fsinfo:::open
/pid != $pid && strchr(args[0]->fi_pathname, '/') == args[0]->fi_pathname/
{
	printf("%-16s %8d %S\n", execname, pid, args[0]->fi_pathname);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
