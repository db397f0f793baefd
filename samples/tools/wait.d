/* SPDX-License-Identifier: MIT */
/* What does each thread wait for?
 *
 *	dtrace -s wait -c CMD | -p PID  [TOP [US]]
 *
 *	dtrace -s wait -c build/samples/kitchen
 *	dtrace -s wait -p $(pgrep redis-server)
 *
 * Prints for each thread the system calls that it slept in: the file (or socket, pipe...)
 * of the call, if its first argument is one, or the lock (futex) by name or address; how
 * often, how long in all, and the longest sleep. The TOP (20) of both. Calls that sleep less
 * than US (100) microseconds are left out. A call that has not returned at the end is not
 * counted.
 */
#pragma D option quiet
#pragma D option defaultargs=20,100
#pragma D option aggsortrev

BEGIN
{
	setopt("aggtop", $$1);
}

syscall:::entry
{
	self->wall = timestamp;
	self->ran = vtimestamp;
	self->arg = arg0;
}

syscall::read*:entry, syscall::write*:entry, syscall::pread*:entry,
syscall::pwrite*:entry, syscall::recv*:entry, syscall::send*:entry, syscall::accept*:entry,
syscall::connect:entry, syscall::epoll_*wait*:entry, syscall::fsync:entry,
syscall::fdatasync:entry, syscall::flock:entry, syscall::ioctl:entry, syscall::fcntl:entry
{
	self->file = fds[arg0].fi_pathname;
}

syscall:::return
/self->wall/
{
	self->slept = (timestamp - self->wall) - (vtimestamp - self->ran);
}

syscall::futex:return
/self->wall && self->slept >= $2 * 1000/
{
	@locks[tid, threadname, usym(self->arg)] = sum(self->slept);
	@lock_longest[tid, threadname, usym(self->arg)] = max(self->slept);
	@lock_calls[tid, threadname, usym(self->arg)] = count();
}

syscall:::return
/self->wall && self->slept >= $2 * 1000 && probefunc != "futex"/
{
	@total[tid, threadname, probefunc, self->file != NULL ? self->file : "-"] =
	    sum(self->slept);
	@longest[tid, threadname, probefunc, self->file != NULL ? self->file : "-"] =
	    max(self->slept);
	@calls[tid, threadname, probefunc, self->file != NULL ? self->file : "-"] = count();
}

syscall:::return
{
	self->wall = 0;
	self->file = 0;
}

END
{
	normalize(@total, 1000);
	normalize(@longest, 1000);
	printf("%8s %-16s %-18s %-32s %10s %8s %12s\n", "TID", "THREAD", "CALL", "FILE",
	    "TOTAL-US", "CALLS", "LONGEST-US");
	printa("%8d %#-16s %#-18s %#-32s %@10d %@8d %@12d\n", @total, @calls, @longest);
	normalize(@locks, 1000);
	normalize(@lock_longest, 1000);
	printf("\n%8s %-16s %-51s %10s %8s %12s\n", "TID", "THREAD", "LOCK", "TOTAL-US",
	    "CALLS", "LONGEST-US");
	printa("%8d %#-16s %-51A %@10d %@8d %@12d\n", @locks, @lock_calls, @lock_longest);
}
