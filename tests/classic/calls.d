#!/usr/sbin/dtrace -s
/* Each call with its arguments and its result; parts are chosen by constants.
 * run: -c "@errands@ opens io" */

#pragma D option quiet

inline int OPT_pid = 1;
inline int OPT_elapsed = 1;
inline int OPT_bytes = 0;

syscall:::entry
/pid == $target/
{
	self->begin = timestamp;
	self->arg0 = arg0;
	self->arg1 = arg1;
	self->arg2 = arg2;
}

syscall::openat:return
/self->begin && strstr(copyinstr(self->arg1), "/dev/") != NULL/
{
	OPT_pid ? printf("%s/%s ", pid == $target ? "main" : "?", tid == pid ? "1" : "?") : 1;
	OPT_elapsed ? printf("%s ", timestamp > self->begin ? "+" : "-") : 1;
	printf("%s(0x%X, \"%S\", 0x%X) = %s %d\n", probefunc, (int)self->arg0,
	    copyinstr(self->arg1), self->arg2, arg0 > 2 ? "fd" : "?", (int)errno);
}

syscall::write:return
/self->begin && self->arg2 == 4096/
{
	OPT_bytes ? tracemem(copyin(self->arg1, 16), 16) : 1;
	printf("write(\"%S\"..., %d) = %d\n", stringof(copyin(self->arg1, 4)),
	    (int)self->arg2, (int)arg0);
}

syscall:::return
/self->begin/
{
	self->begin = 0;
}
