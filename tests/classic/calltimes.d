#!/usr/sbin/dtrace -s
/* Time in system calls, elapsed and on the processor; the longest first.
 * run: -Z -c "@errands@ naps io" */

#pragma D option quiet

syscall:::entry
/pid == $target/
{
	self->begin[probefunc] = timestamp;
	self->ran[probefunc] = vtimestamp;
}

syscall:::return
/self->begin[probefunc]/
{
	this->elapsed = timestamp - self->begin[probefunc];
	this->busy = vtimestamp - self->ran[probefunc];
	self->begin[probefunc] = 0;
	self->ran[probefunc] = 0;
	@elapsed[probefunc] = sum(this->elapsed);
	@sane[this->busy >= 0 && this->elapsed > 0] = count();
	@calls[probefunc] = count();
}

syscall::no_such_call:entry
{
	printf("never\n");
}

dtrace:::END
{
	trunc(@elapsed, 1);
	normalize(@elapsed, 10000000);
	printa("the longest is %s\n", @elapsed);
	trunc(@sane, -1);
	printa("sane: %d\n", @sane);
	trunc(@calls);
}
