#!/usr/sbin/dtrace -s
/* Failed system calls, with the reason in words.
 * run: -c "@errands@ errors" */

#pragma D option quiet

dtrace:::BEGIN
{
	why[ENOENT] = "not there";
	why[EBADF] = "no such descriptor";
	why[EEXIST] = "exists";
	why[ENOTDIR] = "no directory";
	printf("%-10s %-10s %4s %-20s %s\n", "PROGRAM", "CALL", "ERR", "WHY", "COUNT");
}

syscall:::return
/errno != 0 && pid == $target && probefunc != "access"/
{
	this->text = why[errno] != NULL ? why[errno] : "other";
	@[execname, probefunc, errno, this->text] = count();
}

dtrace:::END
{
	printa("%-10s %-10s %4d %-20s %@d\n", @);
}
