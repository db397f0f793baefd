#!/usr/sbin/dtrace -s
/* Children and what they execute; the process tells by fork's result.
 * run: -c "@errands@ family" */

#pragma D option quiet
#pragma D option follow

syscall::execve:return
/arg0 == 0 && pid != $target/
{
	@execs[execname] = count();
}

syscall::clone*:return,
syscall::fork:return,
syscall::vfork:return
/execname == "errands"/
{
	@forks[arg0 == 0 ? "child" : "parent"] = count();
}

syscall::exit_group:entry
{
	@exits[execname, arg0] = count();
}

pid$target:a.out:leaf:entry
{
	@leaves[pid == $target, curlwpsinfo->pr_syscall] = count();
}

dtrace:::END
{
	printa("exec %-8s %@d\n", @execs);
	printa("fork %-8s %@d\n", @forks);
	printa("exit %-8s %3d %@d\n", @exits);
	printa("leaf in main %d, in call %d: %@d\n", @leaves);
}
