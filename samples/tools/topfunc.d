/* SPDX-License-Identifier: MIT */
/* Which functions take the time?
 *
 *	dtrace -s topfunc -c CMD | -p PID  [FUNCTION [MODULE [TOP]]]
 *
 * FUNCTION and MODULE may be globs; initially all functions of the program itself (a.out).
 * '*' as MODULE are the program and all of its libraries.
 *
 *	dtrace -s topfunc -c build/samples/kitchen
 *	dtrace -s topfunc -p $(pgrep redis-server) '*' a.out 10
 *
 * Prints for each function its calls, the time between entry and return, the part of it
 * that was not spent in other functions that were traced, its share in the sum of these,
 * and the longest call. The TOP (20) with the most time of their own are printed. Recursive calls count each. A
 * call that has not returned, or that an exception or longjmp() left, is not counted.
 */
#pragma D option quiet
#pragma D option defaultargs=*,a.out,20
#pragma D option dynvarsize=16m
#pragma D option aggsortrev

self uint64_t top, up[uint64_t], inner[uint64_t], start[uint64_t];

BEGIN
{
	setopt("aggtop", $$3);
}

/* A call is known by the stack pointer at its entry, which is the same at its return. */
fpid$target:$2:$1:entry
{
	this->sp = uregs[R_SP];
	self->up[this->sp] = self->top;
	self->inner[this->sp] = 0;
	self->start[this->sp] = timestamp;
	self->top = this->sp;
}

fpid$target:$2:$1:return
/self->start[uregs[R_SP]]/
{
	this->sp = uregs[R_SP];
	this->took = timestamp - self->start[this->sp];
	@own[probemod, probefunc] = sum(this->took - self->inner[this->sp]);
	@total[probemod, probefunc] = sum(this->took);
	@calls[probemod, probefunc] = count();
	@most[probemod, probefunc] = max(this->took);
	self->top = self->up[this->sp];
	self->inner[self->top] += this->took;
	self->start[this->sp] = 0;
	self->up[this->sp] = 0;
	self->inner[this->sp] = 0;
}

END
{
	normalize(@own, 1000);
	normalize(@total, 1000);
	normalize(@most, 1000);
	printf("%-20s %-32s %12s %7s %12s %12s %12s\n", "MODULE", "FUNCTION", "OWN-US", "SHARE",
	    "TOTAL-US", "CALLS", "LONGEST-US");

	printa("%#-20s %#-32s %@12d %@6.2f%% %@12d %@12d %@12d\n", @own, @own, @total, @calls,
	    @most);
}
