#!/usr/sbin/dtrace -Fs
/* The flow of calls with arguments and results, indented.
 * run: -c "@errands@ calls" */

pid$target:a.out:middle:entry,
pid$target:a.out:leaf:entry,
pid$target:a.out:factorial:entry
{
	trace(arg0);
}

pid$target:a.out:middle:return,
pid$target:a.out:leaf:return,
pid$target:a.out:factorial:return
{
	trace(arg1);
}
