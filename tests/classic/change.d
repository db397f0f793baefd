#!/usr/sbin/dtrace -ws
/* Destructive actions: other bytes in the program, a signal, a command.
 * run: -c "@errands@ names" */

#pragma D option quiet

pid$target:a.out:named:entry
/n++ == 1/
{
	copyoutstr("changed", arg0, 3);
	copyoutstr("T", arg0, 2);
}

pid$target:a.out:named:return
{
	@[arg1] = count();
}

pid$target:a.out:named:entry
/n == 2/
{
	system("echo call %d of %s", n, probefunc);
}

pid$target:a.out:named:entry
/n == 4/
{
	raise(SIGWINCH);
}

proc:::signal-send
/args[2] == SIGWINCH/
{
	@winch = count();
}

dtrace:::END
{
	printa("length %d: %@d\n", @);
	printa("signals %@d\n", @winch);
}
