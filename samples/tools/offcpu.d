/* SPDX-License-Identifier: MIT */
/* From where do threads go to sleep, and for how long in all?
 *
 *	dtrace -s offcpu -c CMD | -p PID  [TOP [US]]
 *
 *	dtrace -s offcpu -c build/samples/kitchen
 *	dtrace -s offcpu -p $(pgrep redis-server) 5
 *
 * Prints the TOP (20) stacks with the longest sleep in system calls, each with the call,
 * the microseconds that threads were not running in it, and how often they were there; the
 * longest one last. Calls that sleep less than US (10) microseconds are left out. A call
 * that has not returned at the end is not counted.
 */
#pragma D option quiet
#pragma D option defaultargs=20,10
#pragma D option ustackframes=32

BEGIN
{
	setopt("aggtop", $$1);
}

syscall:::entry
{
	self->wall = timestamp;
	self->ran = vtimestamp;
}

syscall:::return
/self->wall && (timestamp - self->wall) - (vtimestamp - self->ran) >= $2 * 1000/
{
	this->slept = (timestamp - self->wall) - (vtimestamp - self->ran);
	@slept[probefunc, ustack()] = sum(this->slept);
	@calls[probefunc, ustack()] = count();
}

END
{
	normalize(@slept, 1000);
	printa("\n%#s%k%@12d us in %@d calls\n", @slept, @calls);
}
