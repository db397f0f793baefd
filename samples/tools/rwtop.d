/* SPDX-License-Identifier: MIT */
/* Which files, pipes and sockets are read and written most?
 *
 *	dtrace -s rwtop -c CMD | -p PID  [TOP]
 *
 *	dtrace -s rwtop -c 'gcc -c x.c'
 *	dtrace -s rwtop -p $(pgrep redis-server)
 *
 * Prints the TOP (20) files by bytes, with the number of calls and the bytes of one call
 * on average. The calls are those of the read, write, send and recv families; mapped files
 * and sendfile() do not count.
 */
#pragma D option quiet
#pragma D option defaultargs=20
#pragma D option aggsortrev

BEGIN
{
	setopt("aggtop", $$1);
}

syscall::read:entry, syscall::readv:entry, syscall::pread64:entry, syscall::preadv*:entry,
syscall::recvfrom:entry, syscall::recvmsg:entry,
syscall::write:entry, syscall::writev:entry, syscall::pwrite64:entry,
syscall::pwritev*:entry, syscall::sendto:entry, syscall::sendmsg:entry
{
	self->way = probefunc == "read" || probefunc == "readv" || probefunc == "pread64" ||
	    probefunc == "preadv" || probefunc == "preadv2" || probefunc == "recvfrom" ||
	    probefunc == "recvmsg" ? "read" : "write";
	self->file = fds[arg0].fi_pathname;
	self->is_file = 1;
}

syscall::read:return, syscall::readv:return, syscall::pread64:return, syscall::preadv*:return,
syscall::recvfrom:return, syscall::recvmsg:return,
syscall::write:return, syscall::writev:return, syscall::pwrite64:return,
syscall::pwritev*:return, syscall::sendto:return, syscall::sendmsg:return
/self->is_file && (int64_t)arg1 >= 0/
{
	@bytes[execname, self->way, self->file] = sum(arg1);
	@calls[execname, self->way, self->file] = count();
	@mean[execname, self->way, self->file] = avg(arg1);
}

syscall::read*:return, syscall::pread*:return, syscall::recv*:return, syscall::write*:return,
syscall::pwrite*:return, syscall::send*:return
{
	self->is_file = 0;
	self->file = 0;
	self->way = 0;
}

END
{
	printf("%-15s %-5s %-44s %14s %10s %10s\n", "COMMAND", "WAY", "FILE", "BYTES", "CALLS",
	    "MEAN");
	printa("%#-15s %#-5s %#-44s %@14d %@10d %@10d\n", @bytes, @calls, @mean);
}
