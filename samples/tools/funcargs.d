/* SPDX-License-Identifier: MIT */
/* With which arguments is a function called, and what does it return?
 *
 *	dtrace -s funcargs -c CMD | -p PID  [FUNCTION [MODULE]]
 *
 * FUNCTION and MODULE may be globs; initially all functions of the program itself (a.out).
 *
 *	dtrace -s funcargs -c build/samples/kitchen take_order
 *	dtrace -s funcargs -p $(pgrep redis-server) 'zmalloc' | head -100
 *
 * Prints a line for each call and for each return: microseconds since the start, the
 * thread, the function, and the first six arguments as they are in registers, or the
 * result. A function has not got more arguments than its source says: the others are
 * what happened to be in the registers. args[N] has them with their types, in a script
 * of your own for one function: printf("%s", args[1]->name).
 */
#pragma D option quiet
#pragma D option defaultargs=*,a.out

BEGIN
{
	began = timestamp;
	printf("%12s %8s  %s\n", "TIME-US", "TID", "CALL");
}

fpid$target:$2:$1:entry
{
	printf("%12d %8d  -> %#s(0x%x, 0x%x, 0x%x, 0x%x, 0x%x, 0x%x)\n",
	    (timestamp - began) / 1000, tid, probefunc, arg0, arg1, arg2, arg3, arg4, arg5);
}

fpid$target:$2:$1:return
{
	printf("%12d %8d  <- %#s = 0x%x (%d)\n", (timestamp - began) / 1000, tid, probefunc,
	    arg1, (int)arg1);
}
