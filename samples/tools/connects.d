/* SPDX-License-Identifier: MIT */
/* Who connects to whom, and how long does it take?
 *
 *	dtrace -s connects -c CMD | -p PID
 *
 *	dtrace -s connects -c 'redis-cli ping'
 *	dtrace -s connects -p $(pgrep redis-server)
 *
 * Prints a line for each connect() and accept() when it returns: milliseconds since the
 * start, the process and its name, the call, the descriptor, the microseconds it took, the
 * error number (115 EINPROGRESS: a non-blocking connection is being made), and the address
 * of the other side.
 */
#pragma D option quiet
#pragma D option switchrate=10hz

BEGIN
{
	began = timestamp;
	printf("%8s %8s %-15s %-8s %4s %10s %5s %s\n", "TIME-MS", "PID", "COMMAND", "CALL", "FD",
	    "US", "ERRNO", "ADDRESS");
}

syscall::connect:entry, syscall::accept:entry, syscall::accept4:entry
{
	self->fd = (int)arg0;
	self->address = arg1;
	self->size = arg2; /* of accept: where it is */
	self->start = timestamp;
}

syscall::accept:return, syscall::accept4:return
/self->start/
{
	self->fd = (int)arg1;
	self->size = self->address && !errno ? *(uint32_t *)copyin(self->size, 4) : 0;
}

syscall::connect:return, syscall::accept:return, syscall::accept4:return
/self->start/
{
	this->family = self->address && self->size >= 2 ?
	    *(uint16_t *)copyin(self->address, 2) : 0;
	self->text = this->family == 0 ? "-" : strjoin("family ", lltostr(this->family));
	self->family = this->family;
}

syscall::connect:return, syscall::accept:return, syscall::accept4:return
/self->start && self->family == AF_INET && self->size >= 8/
{
	this->port = ntohs(*(uint16_t *)copyin(self->address + 2, 2));
	self->text = strjoin(inet_ntop(AF_INET, copyin(self->address + 4, 4)),
	    strjoin(":", lltostr(this->port)));
}

syscall::connect:return, syscall::accept:return, syscall::accept4:return
/self->start && self->family == AF_INET6 && self->size >= 24/
{
	this->port = ntohs(*(uint16_t *)copyin(self->address + 2, 2));
	self->text = strjoin("[", strjoin(inet_ntop(AF_INET6, copyin(self->address + 8, 16)),
	    strjoin("]:", lltostr(this->port))));
}

/* An abstract name begins with a zero byte. */
syscall::connect:return, syscall::accept:return, syscall::accept4:return
/self->start && self->family == AF_UNIX/
{
	this->first = self->size > 2 ? *(char *)copyin(self->address + 2, 1) : 0;
	self->text = self->size <= 2 ? "unix" : this->first ?
	    strjoin("unix:", copyinstr(self->address + 2, self->size - 2)) :
	    strjoin("unix:@", copyinstr(self->address + 3, self->size - 3));
}

syscall::connect:return, syscall::accept:return, syscall::accept4:return
/self->start/
{
	printf("%8d %8d %#-15s %#-8s %4d %10d %5d %S\n", (timestamp - began) / 1000000, pid,
	    execname, probefunc, self->fd, (timestamp - self->start) / 1000, errno, self->text);
	self->start = 0;
	self->text = 0;
}
