/* SPDX-License-Identifier: MIT */
/* Which files are opened, and which of them cannot be?
 *
 *	dtrace -s opens -c CMD | -p PID
 *
 *	dtrace -s opens -c 'cat /etc/hostname /nonexistent'
 *	dtrace -x follow -s opens -c 'gcc -c x.c'
 *
 * Prints a line for each call when it returns: milliseconds since the start, the process
 * and its name, the descriptor or -1, the error number, and the path.
 */
#pragma D option quiet
#pragma D option switchrate=10hz

BEGIN
{
	began = timestamp;
	printf("%8s %8s %-15s %4s %5s %s\n", "TIME-MS", "PID", "COMMAND", "FD", "ERRNO", "PATH");
}

syscall::open:entry, syscall::creat:entry
{
	self->path = arg0;
}

syscall::openat*:entry
{
	self->path = arg1;
}

syscall::open*:return, syscall::creat:return
/self->path/
{
	printf("%8d %8d %#-15s %4d %5d %S\n", (timestamp - began) / 1000000, pid, execname,
	    (int)arg1, errno, copyinstr(self->path));
	self->path = 0;
}
