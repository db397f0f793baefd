#!/usr/sbin/dtrace -s
/* Speculation: only the opens that failed are shown.
 * run: -c "@errands@ opens errors" */

#pragma D option quiet
#pragma D option nspec=2

syscall::openat:entry
/strstr(copyinstr(arg1), "ld.so") == NULL/
{
	self->spec = speculation();
	speculate(self->spec);
	printf("%s(\"%s\")", probefunc, copyinstr(arg1));
}

syscall::openat:return
/self->spec/
{
	speculate(self->spec);
	printf(" = %d, errno %d\n", (int)arg0, errno);
}

syscall::openat:return
/self->spec && errno != 0/
{
	commit(self->spec);
	self->spec = 0;
	failures++;
}

syscall::openat:return
/self->spec/
{
	discard(self->spec);
	self->spec = 0;
}

dtrace:::END
{
	printf("%d failures\n", failures);
}
