#!/usr/sbin/dtrace -s
/* Calls of each function of the program, and of a library by a glob.
 * run: -c "@errands@ calls requests names heap" */

#pragma D option quiet

pid$target:a.out:leaf:entry,
pid$target:a.out:middle:entry,
pid$target:a.out:f*rial:entry,
pid$target:a.out:handle:entry,
pid$target:a.out:named:entry
{
	@[probemod, probefunc] = count();
}

pid$target:a.out:[lm]*[fe]:return
/probefunc == "leaf" || probefunc == "middle"/
{
	@back[probefunc] = count();
}

dtrace:::END
{
	printa("%s %-10s %@5d\n", @);
	printa("back from %-10s %@5d\n", @back);
}
