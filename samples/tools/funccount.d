/* SPDX-License-Identifier: MIT */
/* How often is each function called?
 *
 *	dtrace -s funccount -c CMD | -p PID  [FUNCTION [MODULE [TOP]]]
 *
 * FUNCTION and MODULE may be globs; initially all functions of the program and of its
 * libraries.
 *
 *	dtrace -s funccount -c build/samples/kitchen '*' a.out
 *	dtrace -s funccount -p $(pgrep redis-server) '*alloc*'
 *
 * Prints the TOP (20) functions with the most calls.
 */
#pragma D option quiet
#pragma D option defaultargs=*,*,20
#pragma D option aggsortrev

BEGIN
{
	setopt("aggtop", $$3);
}

fpid$target:$2:$1:entry
{
	@calls[probemod, probefunc] = count();
}

END
{
	printf("%-24s %-40s %12s\n", "MODULE", "FUNCTION", "CALLS");

	printa("%#-24s %#-40s %@12d\n", @calls);
}
