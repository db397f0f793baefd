#!/usr/sbin/dtrace -s
/* Programs as they begin and end, with their arguments.
 * run: -x follow -c "@errands@ family" */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("%-8s %-6s %s\n", "EVENT", "PARENT", "ARGS");
}

proc:::exec
/pid != $target/
{
	printf("%-8s %-6s %s\n", "exec", ppid == $target ? "main" : "other",
	    stringof(args[0]));
}

proc:::exec-success
/pid != $target/
{
	printf("%-8s %-6s %s (%d)\n", "run", ppid == $target ? "main" : "other",
	    curpsinfo->pr_psargs, curpsinfo->pr_argc);
	@execs = count();
}

proc:::exit
/pid != $target/
{
	printf("%-8s %-6s %s\n", args[0] == CLD_EXITED ? "exit" : "killed", "",
	    execname);
}

dtrace:::END
{
	printa("%@d programs\n", @execs);
}
