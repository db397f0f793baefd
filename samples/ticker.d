/* SPDX-License-Identifier: MIT */
/* Calls a second, while it runs; attach to anything:
 *	dtrace -qs samples/ticker.d -p PID */
fpid$target:a.out::entry
{
	@calls[probefunc] = count();
}

tick-1sec
{
	printf("\n%-24s %10s\n", "FUNCTION", "CALLS/S");
	trunc(@calls, 10);
	printa("%-24s %@10d\n", @calls);
	trunc(@calls);
}
