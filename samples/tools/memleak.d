/* SPDX-License-Identifier: MIT */
/* Which memory is allocated and never freed?
 *
 *	dtrace -s memleak -c CMD | -p PID  [MODULE [TOP]]
 *
 * MODULE is the one that has malloc() (initially any).
 *
 *	dtrace -s memleak -c build/samples/kitchen
 *	dtrace -s memleak -p $(pgrep redis-server)
 *
 * Prints for each place that calls malloc(), calloc(), realloc(), aligned_alloc(),
 * posix_memalign(), memalign(), valloc(), pvalloc() or operator new the bytes and the
 * blocks that it got while tracing and that are not freed at the end, the TOP (20) by
 * bytes. Above it the stacks of all allocations, by bytes, the largest last: look there
 * for the places of the table, and who calls them.
 */
#pragma D option quiet
#pragma D option defaultargs=*,20
#pragma D option zdefs
#pragma D option dynvarsize=128m

uint64_t from[uint64_t];
int64_t size[uint64_t];

BEGIN
{
	setopt("aggtop", $$2);
}

/* One that another one calls, as operator new calls malloc(), does not count. */
fpid$target:$1:malloc:entry, fpid$target:$1:_Znw[m]:entry, fpid$target:$1:_Zna[m]:entry,
fpid$target:$1:valloc:entry, fpid$target:$1:pvalloc:entry
/!self->depth++/
{
	self->from = ucaller;
	self->bytes = arg0;
	self->old = 0;
}

fpid$target:$1:calloc:entry
/!self->depth++/
{
	self->from = ucaller;
	self->bytes = arg0 * arg1;
	self->old = 0;
}

fpid$target:$1:realloc:entry, fpid$target:$1:aligned_alloc:entry,
fpid$target:$1:memalign:entry
/!self->depth++/
{
	self->from = ucaller;
	self->bytes = arg1;
	self->old = probefunc == "realloc" ? arg0 : 0;
}

fpid$target:$1:posix_memalign:entry
/!self->depth++/
{
	self->from = ucaller;
	self->bytes = arg2;
	self->old = 0;
	self->place = arg0;
}

fpid$target:$1:malloc:return, fpid$target:$1:calloc:return, fpid$target:$1:realloc:return,
fpid$target:$1:aligned_alloc:return, fpid$target:$1:_Znw[m]:return, fpid$target:$1:_Zna[m]:return,
fpid$target:$1:memalign:return, fpid$target:$1:valloc:return, fpid$target:$1:pvalloc:return
/self->depth && !--self->depth && arg1/
{
	@stacks[ustack(16)] = sum(self->bytes);
	self->got = arg1;
}

/* It returns 0, and the block where its first argument says. */
fpid$target:$1:posix_memalign:return
/self->depth && !--self->depth && !(int)arg1/
{
	@stacks[ustack(16)] = sum(self->bytes);
	self->got = *(uint64_t *)copyin(self->place, 8);
}

/* What realloc() got is a new block; where it was one before, that is freed. */
fpid$target:$1:realloc:return
/self->got && self->old && from[self->old]/
{
	@bytes[uaddr(from[self->old])] = sum(-size[self->old]);
	@blocks[uaddr(from[self->old])] = sum(-1);
	from[self->old] = 0;
	size[self->old] = 0;
}

fpid$target:$1:malloc:return, fpid$target:$1:calloc:return, fpid$target:$1:realloc:return,
fpid$target:$1:aligned_alloc:return, fpid$target:$1:_Znw[m]:return, fpid$target:$1:_Zna[m]:return,
fpid$target:$1:memalign:return, fpid$target:$1:valloc:return, fpid$target:$1:pvalloc:return,
fpid$target:$1:posix_memalign:return
/self->got/
{
	from[self->got] = self->from;
	size[self->got] = (int64_t)self->bytes;
	@bytes[uaddr(self->from)] = sum((int64_t)self->bytes);
	@blocks[uaddr(self->from)] = sum(1);
	self->got = 0;
}

fpid$target:$1:free:entry
/from[arg0]/
{
	@bytes[uaddr(from[arg0])] = sum(-size[arg0]);
	@blocks[uaddr(from[arg0])] = sum(-1);
	from[arg0] = 0;
	size[arg0] = 0;
}

END
{
	printa("%@d bytes allocated, freed or not, from\n%-4k\n", @stacks);
	setopt("aggsortrev");
	printf("%-56s %14s %10s\n", "NOT FREED, ALLOCATED FROM", "BYTES", "BLOCKS");
	printa("%-56A %@14d %@10d\n", @bytes, @blocks);
}
