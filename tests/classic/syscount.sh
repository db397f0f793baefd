#!/bin/sh
# System calls by name, or by process. The options pick a key by constants.
# run: -

count()
{
	$DTRACE -n '
	#pragma D option quiet

	inline int BY_PROGRAM = '"$1"';

	syscall:::entry
	/execname != "dtrace"/
	{
		self->name = BY_PROGRAM ? execname : probefunc;
	}

	syscall::read:entry, syscall::write:entry, syscall::lseek:entry
	/fds[arg0].fi_name == "notes.txt"/
	{
		@[self->name, curlwpsinfo->pr_syscall] = count();
	}

	dtrace:::END
	{
		printf("%-12s %6s %8s\n", BY_PROGRAM ? "PROGRAM" : "CALL", "NUMBER", "COUNT");
		printa("%-12s %6d %8@d\n", @);
	}' -c "$WORK io" || exit 1
}

count 0
count 1
