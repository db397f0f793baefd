/* SPDX-License-Identifier: MIT */
/* Who calls a function?
 *
 *	dtrace -s callers -c CMD | -p PID  [FUNCTION [MODULE [TOP]]]
 *
 * FUNCTION (malloc) and MODULE (the program and all libraries) may be globs.
 *
 *	dtrace -s callers -c build/samples/kitchen peel
 *	dtrace -s callers -p $(pgrep redis-server) zmalloc
 *
 * Prints the TOP (20) places that call it, with the number of calls; below them the TOP
 * stacks, the most frequent one last.
 */
#pragma D option quiet
#pragma D option defaultargs=malloc,*,20

BEGIN
{
	setopt("aggtop", $$3);
}

fpid$target:$2:$1:entry
{
	@stacks[probefunc, ustack(20)] = count();
	@callers[probefunc, uaddr(ucaller)] = count();
}

END
{
	printa("%#s, called %@d times (%@.1f%%) from\n%-4k\n", @stacks);
	printf("%-32s %-48s %12s %7s\n", "FUNCTION", "CALLED FROM", "CALLS", "SHARE");
	setopt("aggsortrev");
	printa("%#-32s %-48A %@12d %@6.2f%%\n", @callers);
}
