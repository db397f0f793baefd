/* SPDX-License-Identifier: MIT */
/* How long do the calls of a function take, as a histogram?
 *
 *	dtrace -s funclatency -c CMD | -p PID  [FUNCTION [MODULE [TOP]]]
 *
 * FUNCTION and MODULE may be globs; initially all functions of the program itself (a.out).
 *
 *	dtrace -s funclatency -c build/samples/kitchen cook
 *	dtrace -s funclatency -p $(pgrep redis-server) 'lookupKey*'
 *
 * Prints for each function a histogram of the nanoseconds from entry to return, the number
 * of calls and their mean; for the TOP (20) functions with the most time in all. A call
 * that has not returned, or that an exception or longjmp() left, is not counted.
 */
#pragma D option quiet
#pragma D option defaultargs=*,a.out,20
#pragma D option dynvarsize=16m
#pragma D option aggsortrev

BEGIN
{
	setopt("aggtop", $$3);
}

/* A call is known by the stack pointer at its entry, which is the same at its return. */
fpid$target:$2:$1:entry
{
	self->start[uregs[R_SP]] = timestamp;
}

fpid$target:$2:$1:return
/self->start[uregs[R_SP]]/
{
	this->took = timestamp - self->start[uregs[R_SP]];
	@ns[probemod, probefunc] = quantize(this->took);
	@total[probemod, probefunc] = sum(this->took);
	@mean[probemod, probefunc] = avg(this->took);
	@calls[probemod, probefunc] = count();
	self->start[uregs[R_SP]] = 0;
}

END
{
	normalize(@total, 1000);
	printa("%#s`%#s, nanoseconds:%@d\n", @ns);
	printf("%-24s %-32s %12s %12s %12s\n", "MODULE", "FUNCTION", "TOTAL-US", "MEAN-NS",
	    "CALLS");
	printa("%#-24s %#-32s %@12d %@12d %@12d\n", @total, @mean, @calls);
}
