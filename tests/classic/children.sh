#!/bin/sh
# The children of a process: ppid == $1, progenyof($1).
# run: -

echo "$WORK io; $WORK io; :" >twice
$DTRACE -q -x follow -n '
syscall::write:entry
/ppid == $target && arg0 > 2/
{
	@bytes = sum(arg2);
	@calls = count();
}

syscall::read:return
/progenyof($target) && pid != $target && (int)arg0 >= 0 && fds[3].fi_name == "notes.txt" && execname == "errands"/
{
	@reads[execname, fds[3].fi_name] = count();
}

END
{
	printa("%@d bytes in %@d calls\n", @bytes, @calls);
	printa("%s from %s %@d\n", @reads);
}' -c "sh twice"
