/* SPDX-License-Identifier: MIT */
/* Which system calls are slow, and from where are they made?
 *
 *	dtrace -s sysslow -c CMD | -p PID  [US]
 *
 *	dtrace -s sysslow -c build/samples/kitchen 1500
 *	dtrace -s sysslow -p $(pgrep redis-server) 100
 *
 * Prints each system call that took at least US (1000) microseconds when it returns: the
 * time since the start, the process and the thread, how long it took, the first three
 * arguments, the result, and the error number; below it the stack. At the end the time of
 * all system calls by name, slow or not.
 */
#pragma D option quiet
#pragma D option defaultargs=1000
#pragma D option switchrate=10hz

BEGIN
{
	began = timestamp;
	printf("%10s %8s %8s %10s  %s\n", "TIME-MS", "PID", "TID", "US", "CALL");
}

syscall:::entry
{
	self->a0 = arg0;
	self->a1 = arg1;
	self->a2 = arg2;
	self->start = timestamp;
}

syscall:::return
/self->start && timestamp - self->start >= $1 * 1000/
{
	printf("%10d %8d %8d %10d  %s(0x%x, 0x%x, 0x%x) = %d, errno %d",
	    (timestamp - began) / 1000000, pid, tid, (timestamp - self->start) / 1000,
	    probefunc, self->a0, self->a1, self->a2, (int64_t)arg1, errno);
	ustack();
}

syscall:::return
/self->start/
{
	@total[probefunc] = sum(timestamp - self->start);
	@calls[probefunc] = count();
	@longest[probefunc] = max(timestamp - self->start);
	self->start = 0;
}

END
{
	setopt("aggsortrev");
	normalize(@total, 1000);
	normalize(@longest, 1000);
	printf("\n%-24s %12s %12s %12s\n", "CALL", "TOTAL-US", "CALLS", "LONGEST-US");
	printa("%-24s %@12d %@12d %@12d\n", @total, @calls, @longest);
}
