/* SPDX-License-Identifier: MIT */
/* What does the machine do, second by second?
 *
 *	dtrace -s vitals [SECONDS]
 *
 * Prints switches of threads, new processes, programs, page faults, kilobytes read and
 * written by calls, and requests of disks. Of the whole machine, for root; until Ctrl-C,
 * or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

BEGIN
{
	printf("%8s %6s %6s %8s %9s %9s %6s\n", "SWITCHES", "NEW", "EXEC", "FAULTS", "READ-KB",
	    "WRITE-KB", "DISK");
}

sysinfo:::pswitch
{
	switches += arg0;
}

sysinfo:::sysfork,sysinfo:::sysvfork
{
	made += arg0;
}

sysinfo:::sysexec
{
	execs += arg0;
}

vminfo:::as_fault
{
	faults += arg0;
}

sysinfo:::readch
{
	read += arg0;
}

sysinfo:::writech
{
	written += arg0;
}

sysinfo:::bread,sysinfo:::bwrite
{
	requests += arg0;
}

tick-1s
{
	printf("%8d %6d %6d %8d %9d %9d %6d\n", switches, made, execs, faults, read / 1024,
	    written / 1024, requests);
	switches = made = execs = faults = read = written = requests = 0;
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
