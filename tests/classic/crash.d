#!/usr/sbin/dtrace -s
/* A fault, the signal for it, and the end by it.
 * run: -x follow -c "@errands@ crash" */

#pragma D option quiet

proc:::fault
{
	printf("fault %d at %x in %s: signal %d\n", args[0],
	    (uintptr_t)args[1]->si_addr, execname, args[1]->si_signo);
}

proc:::signal-send
/args[2] == SIGSEGV/
{
	@[args[2]] = count();
}

proc:::exit
/pid != $target/
{
	printf("%s\n", args[0] == CLD_DUMPED || args[0] == CLD_KILLED ? "killed" : "exited");
}

dtrace:::END
{
	printa("signal %d: %@d\n", @);
}
