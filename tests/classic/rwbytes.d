#!/usr/sbin/dtrace -s
/* Reads and writes of one process: how many, how many bytes.
 * run: -c "@errands@ io" */

#pragma D option quiet
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	printf("%-10s %8s %10s\n", "CALL", "COUNT", "BYTES");
}

syscall::read:entry,
syscall::write:entry
/pid == $target && arg0 > 2/
{
	self->begin = timestamp;
}

syscall::read:return,
syscall::write:return
/self->begin && arg1 >= 0/
{
	@calls[probefunc] = count();
	@bytes[probefunc] = sum(arg1);
	@time[probefunc] = sum(timestamp - self->begin);
	self->begin = 0;
}

dtrace:::END
{
	printa("%-10s %@8d %@10d\n", @calls, @bytes);
	normalize(@time, 1000);
	trunc(@time);
}
