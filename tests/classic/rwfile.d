#!/usr/sbin/dtrace -Cs
/* Bytes by direction and file, through the preprocessor.
 * run: -c "@errands@ io" */

#define WIDTH	12
#define IS_READ(name)	(strstr(name, "read") != NULL)

#pragma D option quiet
#pragma D option strsize=80

inline string ONLY = "notes.txt";

dtrace:::BEGIN
{
	printf("%-*s %3s %s\n", WIDTH, "PROGRAM", "DIR", "FILE AND BYTES");
}

syscall::*read*:entry,
syscall::*write*:entry
{
	self->fd = arg0;
	self->is_on = 1;
}

syscall::*read*:return,
syscall::*write*:return
/self->is_on && fds[self->fd].fi_name == ONLY/
{
	this->way = IS_READ(probefunc) ? "R" : "W";
	@sum[execname, this->way, fds[self->fd].fi_name,
	    fds[self->fd].fi_oflags & O_ACCMODE] = sum(arg0);
	@at[fds[self->fd].fi_name] = max(fds[self->fd].fi_offset);
}

syscall::*read*:return,
syscall::*write*:return
{
	self->fd = 0;
	self->is_on = 0;
}

dtrace:::END
{
	printa("%-12s %3s %s mode %d: %@9d\n", @sum);
	printa("%s ends at %@d\n", @at);
}
