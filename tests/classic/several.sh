#!/bin/sh
# Two processes, two programs; the statuses of dtrace.
# run: -

$DTRACE -qn 'syscall::write:return /arg1 > 0/ { @w[pid == $target] = sum(arg0); }' \
	-n 'syscall::openat:entry /copyinstr(arg1) == "/dev/null"/ { @o[pid == $target] = count(); }
	    END { printa("first %d: %@d bytes\n", @w); printa("first %d: %@d opens\n", @o); }' \
	-c "$WORK io" -c "$WORK opens"
$DTRACE -qn 'syscall::exit_group:entry { exit(arg0 + 4); }' -c /bin/false
echo $?
$DTRACE -qn 'BEGIN { exit(7); }' -c "$WORK naps"
echo $?
$DTRACE -qn 'proc:::exit { @[curpsinfo->pr_psargs, execname, args[0]] = count(); }
    END { printa("%s %s %d %@d\n", @); }' -c '/bin/sh -c true' -c '/bin/sh -c false' 2>/dev/null
