/* SPDX-License-Identifier: MIT */
/* Which threads are there, and what does each do?
 *
 *	dtrace -s threads -c CMD | -p PID  [TOP]
 *
 *	dtrace -s threads -c build/samples/kitchen
 *	dtrace -s threads -p $(pgrep redis-server)
 *
 * Prints the TOP (20) threads by the milliseconds of processor time that were sampled, with
 * their names, how many of these the kernel used in their system calls, the milliseconds
 * that they slept in system calls, and the number of those calls; a line when a thread
 * begins or ends.
 */
#pragma D option quiet
#pragma D option defaultargs=20
#pragma D option aggsortrev
#pragma D option switchrate=10hz

BEGIN
{
	began = timestamp;
	setopt("aggtop", $$1);
}

proc:::lwp-create
{
	printf("%8d ms: thread %d makes thread %d\n", (timestamp - began) / 1000000, tid,
	    args[0]->pr_lwpid);
}

proc:::lwp-exit
{
	printf("%8d ms: thread %d (%#s) ends\n", (timestamp - began) / 1000000, tid, threadname);
}

profile-997
{
	@ran[pid, tid, threadname] = count();
}

profile-997
/arg0/
{
	@kernel[pid, tid, threadname] = count();
}

syscall:::entry
{
	self->wall = timestamp;
	self->ran = vtimestamp;
}

syscall:::return
/self->wall/
{
	@slept[pid, tid, threadname] =
	    sum((timestamp - self->wall) - (vtimestamp - self->ran));
	@calls[pid, tid, threadname] = count();
	self->wall = 0;
}

END
{
	normalize(@slept, 1000000);
	printf("\n%8s %8s %-16s %10s %10s %10s %10s\n", "PID", "TID", "THREAD", "RAN-MS",
	    "KERNEL-MS", "SLEPT-MS", "CALLS");
	printa("%8d %8d %#-16s %@10d %@10d %@10d %@10d\n", @ran, @kernel, @slept, @calls);
}
