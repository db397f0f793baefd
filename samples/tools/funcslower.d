/* SPDX-License-Identifier: MIT */
/* Which calls of a function are slow, with which arguments, and from where?
 *
 *	dtrace -s funcslower -c CMD | -p PID  [FUNCTION [MODULE [US]]]
 *
 * FUNCTION and MODULE may be globs; initially all functions of the program itself (a.out).
 *
 *	dtrace -s funcslower -c build/samples/kitchen cook a.out 1500
 *	dtrace -s funcslower -p $(pgrep redis-server) call a.out 200
 *
 * Prints each call that took at least US (1000) microseconds when it returns: the time
 * since the start, the thread, how long it took, the first four arguments as they are in
 * registers, and the result; below it the stack. A function has not got more arguments
 * than its source says: the others are what happened to be in the registers.
 */
#pragma D option quiet
#pragma D option defaultargs=*,a.out,1000
#pragma D option dynvarsize=16m

BEGIN
{
	began = timestamp;
	printf("%10s %8s %10s  %s\n", "TIME-MS", "TID", "US", "CALL");
}

/* A call is known by the stack pointer at its entry, which is the same at its return. */
fpid$target:$2:$1:entry
{
	this->sp = uregs[R_SP];
	self->a0[this->sp] = arg0;
	self->a1[this->sp] = arg1;
	self->a2[this->sp] = arg2;
	self->a3[this->sp] = arg3;
	self->start[this->sp] = timestamp;
}

fpid$target:$2:$1:return
/self->start[uregs[R_SP]] && timestamp - self->start[uregs[R_SP]] >= $3 * 1000/
{
	this->sp = uregs[R_SP];
	printf("%10d %8d %10d  %#s(0x%x, 0x%x, 0x%x, 0x%x) = 0x%x",
	    (timestamp - began) / 1000000, tid, (timestamp - self->start[this->sp]) / 1000,
	    probefunc, self->a0[this->sp], self->a1[this->sp], self->a2[this->sp],
	    self->a3[this->sp], arg1);
	ustack();
}

fpid$target:$2:$1:return
/self->start[uregs[R_SP]]/
{
	this->sp = uregs[R_SP];
	self->a0[this->sp] = 0;
	self->a1[this->sp] = 0;
	self->a2[this->sp] = 0;
	self->a3[this->sp] = 0;
	self->start[this->sp] = 0;
}
