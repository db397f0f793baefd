#!/usr/sbin/dtrace -s
/* Threads: made, begun, ended, and what each did.
 * run: -c "@errands@ threads" */

#pragma D option quiet

pid$target:a.out:leaf:entry
{
	self->n++;
	@all = count();
}

proc:::lwp-create	{ @made = count(); }
proc:::lwp-start	{ @begun[tid != pid] = count(); }

proc:::lwp-exit
/self->n/
{
	@most = max(self->n);
	@least = min(self->n);
	@sum = sum(self->n);
	@ended = count();
}

dtrace:::END
{
	printa("made %@d, ended %@d\n", @made, @ended);
	printa("begun %d: %@d\n", @begun);
	printa("from %@d to %@d, in all %@d\n", @least, @most, @sum);
	printa("%@d\n", @all);
}
