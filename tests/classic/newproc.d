#!/usr/sbin/dtrace -s
/* Programs by the system call that begins them.
 * run: -x follow -c "@errands@ family" */

#pragma D option quiet

inline uid_t euid = curpsinfo->pr_euid;

syscall::execve:return
/errno == 0 && progenyof($target) && pid != $target/
{
	@[uid == euid, execname, curpsinfo->pr_psargs] = count();
	@all = count();
}

dtrace:::END
{
	printa("%d %-8s %-24s %@d\n", @);
	printa("%@d in all\n", @all);
}
