#!/usr/sbin/dtrace -qs
/* Executed by its #! line, with an argument before the options.
 * execute
 * run: 4096 -c "@errands@ io" */

syscall::write:entry
/arg2 >= $1/
{
	@[basename($$0), $1] = count();
}
