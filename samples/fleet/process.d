/* SPDX-License-Identifier: MIT */
/*
 * What one process asks of the C library, as metrics: sizes of allocations, and how long
 * reads, writes and flushes take.
 *
 *	dtrace -q --metrics 9599 -s process.d -p PID
 */
fpid$target:libc:malloc:entry
{
	@malloc_bytes = quantize(arg0);
}

fpid$target:libc:read:entry,
fpid$target:libc:write:entry,
fpid$target:libc:fsync:entry,
fpid$target:libc:fdatasync:entry
{
	self->start = timestamp;
}

fpid$target:libc:read:return,
fpid$target:libc:write:return,
fpid$target:libc:fsync:return,
fpid$target:libc:fdatasync:return
/self->start/
{
	@io_ns[probefunc] = quantize(timestamp - self->start);
	self->start = 0;
}

/* Nothing is printed at the end. */
END
{
	trunc(@malloc_bytes);
	trunc(@io_ns);
}
