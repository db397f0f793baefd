#!/usr/sbin/dtrace -qs
/* A process named only by a predicate: /pid == $1/.
 * attach: io naps
 * run: @pid@ */

syscall::write:entry
/pid == $1/
{
	@n = count();
	@bytes = sum(arg2);
}

syscall::*nanosleep:entry
/pid == $1/
{
	@naps = count();
}

proc:::exit
/pid == $1/
{
	exit(0);
}

dtrace:::END
{
	printa("%@d writes, %@d bytes\n", @n, @bytes);
	printa("%@d naps\n", @naps);
}
