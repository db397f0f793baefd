/* SPDX-License-Identifier: MIT */
/* Who makes the memory of a process grow?
 *
 *	dtrace -s heapgrowth -c CMD | -p PID  [TOP]
 *
 *	dtrace -s heapgrowth -c 'python3 -c "list(range(10000000))"'
 *	dtrace -s heapgrowth -p $(pgrep redis-server)
 *
 * Prints the TOP (20) stacks by the kilobytes of address space that they got by brk(),
 * mmap() without a file and mremap(), the largest last; then what all of these calls
 * added, and what brk(), munmap() and mremap() took away.
 */
#pragma D option quiet
#pragma D option defaultargs=20

inline int ANONYMOUS = 0x20;

uint64_t break_of[int];
self int64_t grown, bytes;
this uint64_t last;

BEGIN
{
	setopt("aggtop", $$1);
}

syscall::brk:entry
{
	self->asked = arg0;
}

/* The first call of a thread only tells where the break is, or where it gets to. */
syscall::brk:return
{
	this->last = break_of[pid];
	break_of[pid] = arg1;
	self->grown = this->last ? (int64_t)(arg1 - this->last) : 0;
}

syscall::mmap:entry
{
	self->bytes = (arg3 & ANONYMOUS) ? arg1 : 0;
}

syscall::mmap:return
{
	self->grown = errno ? 0 : self->bytes;
}

syscall::mremap:entry
{
	self->bytes = (int64_t)(arg2 - arg1);
}

syscall::mremap:return
{
	self->grown = errno ? 0 : self->bytes;
}

syscall::munmap:entry
{
	self->bytes = -(int64_t)arg1;
}

syscall::munmap:return
{
	self->grown = errno ? 0 : self->bytes;
}

syscall::brk:return, syscall::mmap:return, syscall::mremap:return
/self->grown > 0/
{
	@stacks[probefunc, ustack()] = sum(self->grown);
	@added[probefunc] = sum(self->grown);
	@calls[probefunc] = count();
}

syscall::brk:return, syscall::munmap:return, syscall::mremap:return
/self->grown < 0/
{
	@taken[probefunc] = sum(-self->grown);
	@calls[probefunc] = count();
}

END
{
	normalize(@stacks, 1024);
	normalize(@added, 1024);
	normalize(@taken, 1024);
	printa("%#s, %@d KiB more from\n%-4k\n", @stacks);
	setopt("aggsortrev");
	printf("%-12s %12s %12s %10s\n", "CALL", "ADDED-KIB", "REMOVED-KIB", "CALLS");
	printa("%#-12s %@12d %@12d %@10d\n", @added, @taken, @calls);
}
