#!/usr/sbin/dtrace -s
/* Who sends which signal, by the system call.
 * run: -c "@errands@ signals" */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("%-10s %-6s %4s %6s %s\n", "FROM", "TO", "SIG", "RESULT", "COUNT");
}

syscall::kill:entry,
syscall::tgkill:entry
{
	self->to = (int)arg0;
	self->sig = probefunc == "kill" ? arg1 : arg2;
	self->is_on = 1;
}

syscall::kill:return,
syscall::tgkill:return
/self->is_on/
{
	@[execname, self->to == pid ? "self" : "other", self->sig, (int)arg0] = count();
	self->is_on = 0;
}

dtrace:::END
{
	printa("%-10s %-6s %4d %6d %@d\n", @);
}
