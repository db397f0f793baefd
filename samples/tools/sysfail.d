/* SPDX-License-Identifier: MIT */
/* Which system calls fail, why, and from where are they made?
 *
 *	dtrace -s sysfail -c CMD | -p PID  [TOP]
 *
 *	dtrace -s sysfail -c 'ls /nonexistent'
 *	dtrace -s sysfail -p $(pgrep redis-server)
 *
 * Prints the TOP (20) system calls by failures, with the error and its number; below them
 * the TOP stacks, the most frequent one last.
 */
#pragma D option quiet
#pragma D option defaultargs=20

BEGIN
{
	setopt("aggtop", $$1);
	error[EPERM] = "EPERM";
	error[ENOENT] = "ENOENT";
	error[ESRCH] = "ESRCH";
	error[EINTR] = "EINTR";
	error[EIO] = "EIO";
	error[ENXIO] = "ENXIO";
	error[E2BIG] = "E2BIG";
	error[ENOEXEC] = "ENOEXEC";
	error[EBADF] = "EBADF";
	error[ECHILD] = "ECHILD";
	error[EAGAIN] = "EAGAIN";
	error[ENOMEM] = "ENOMEM";
	error[EACCES] = "EACCES";
	error[EFAULT] = "EFAULT";
	error[EBUSY] = "EBUSY";
	error[EEXIST] = "EEXIST";
	error[EXDEV] = "EXDEV";
	error[ENODEV] = "ENODEV";
	error[ENOTDIR] = "ENOTDIR";
	error[EISDIR] = "EISDIR";
	error[EINVAL] = "EINVAL";
	error[ENFILE] = "ENFILE";
	error[EMFILE] = "EMFILE";
	error[ENOTTY] = "ENOTTY";
	error[ETXTBSY] = "ETXTBSY";
	error[EFBIG] = "EFBIG";
	error[ENOSPC] = "ENOSPC";
	error[ESPIPE] = "ESPIPE";
	error[EROFS] = "EROFS";
	error[EMLINK] = "EMLINK";
	error[EPIPE] = "EPIPE";
	error[ERANGE] = "ERANGE";
	error[EDEADLK] = "EDEADLK";
	error[ENAMETOOLONG] = "ENAMETOOLONG";
	error[ENOSYS] = "ENOSYS";
	error[ENOTEMPTY] = "ENOTEMPTY";
	error[ELOOP] = "ELOOP";
	error[ENODATA] = "ENODATA";
	error[EOVERFLOW] = "EOVERFLOW";
	error[ENOTSOCK] = "ENOTSOCK";
	error[EDESTADDRREQ] = "EDESTADDRREQ";
	error[EMSGSIZE] = "EMSGSIZE";
	error[ENOPROTOOPT] = "ENOPROTOOPT";
	error[EPROTONOSUPPORT] = "EPROTONOSUPPORT";
	error[EOPNOTSUPP] = "EOPNOTSUPP";
	error[EAFNOSUPPORT] = "EAFNOSUPPORT";
	error[EADDRINUSE] = "EADDRINUSE";
	error[EADDRNOTAVAIL] = "EADDRNOTAVAIL";
	error[ENETUNREACH] = "ENETUNREACH";
	error[ECONNABORTED] = "ECONNABORTED";
	error[ECONNRESET] = "ECONNRESET";
	error[ENOBUFS] = "ENOBUFS";
	error[EISCONN] = "EISCONN";
	error[ENOTCONN] = "ENOTCONN";
	error[ETIMEDOUT] = "ETIMEDOUT";
	error[ECONNREFUSED] = "ECONNREFUSED";
	error[EHOSTUNREACH] = "EHOSTUNREACH";
	error[EALREADY] = "EALREADY";
	error[EINPROGRESS] = "EINPROGRESS";
	error[ECANCELED] = "ECANCELED";
}

syscall:::return
/errno/
{
	this->name = error[errno] != NULL ? error[errno] : "-";
	@calls[probefunc, this->name, errno] = count();
	@stacks[probefunc, this->name, ustack()] = count();
}

END
{
	printa("%s, %s, %@d times from\n%-4k\n", @stacks);
	setopt("aggsortrev");
	printf("%-24s %-16s %6s %12s\n", "CALL", "ERROR", "ERRNO", "FAILURES");
	printa("%-24s %-16s %6d %@12d\n", @calls);
}
