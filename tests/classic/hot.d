#!/usr/sbin/dtrace -s
/* A profile by program, and stacks of where it is.
 * run: -c "@errands@ busy" */

#pragma D option quiet
#pragma D option ustackframes=3

profile-499
/execname == "errands" && arg1 != 0/
{
	@top[ufunc(arg1)] = count();
	@stacks[ustack()] = count();
	@modes[(arg0 == 0) + (arg1 == 0)] = count();
}

dtrace:::END
{
	trunc(@top, 1);
	printa("%A\n", @top);
	trunc(@modes, 1);
	printa("one of arg0 and arg1 is 0: %d\n", @modes);
	trunc(@stacks);
}
