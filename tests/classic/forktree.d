#!/usr/sbin/dtrace -s
/* Children: made, begun, ended, and how.
 * run: -x follow -c "@errands@ family" */

#pragma D option quiet

proc:::create
{
	@made = count();
	child[args[0]->pr_pid] = 1;
}

proc:::start
{
	@begun[child[pid] ? "known" : "unknown"] = count();
}

proc:::exit
/pid != $target/
{
	@ended[execname, args[0] == CLD_EXITED ? "exited" : "killed"] = count();
}

syscall::exit_group:entry
/pid != $target/
{
	@status[execname, (int)arg0] = count();
}

dtrace:::END
{
	printa("made %@d\n", @made);
	printa("begun, %s %@d\n", @begun);
	printa("%-8s %-8s %@d\n", @ended);
	printa("%-8s %8d %@d\n", @status);
}
