/* SPDX-License-Identifier: MIT */
/* Which functions call which, in order?
 *
 *	dtrace -s flow -c CMD | -p PID  [FUNCTION [MODULE]]
 *
 * FUNCTION and MODULE may be globs; initially all functions of the program itself (a.out).
 *
 *	dtrace -s flow -c 'build/samples/kitchen 1'
 *	dtrace -s flow -p $(pgrep redis-server) '*Command' | head -50
 *
 * Prints a line at each entry (->) and each return (<-), indented by the depth of calls,
 * with the microseconds since the start and the thread.
 */
#pragma D option quiet
#pragma D option flowindent
#pragma D option defaultargs=*,a.out

BEGIN
{
	began = timestamp;
}

fpid$target:$2:$1:entry,
fpid$target:$2:$1:return
{
	printf("%10d us, thread %d\n", (timestamp - began) / 1000, tid);
}
