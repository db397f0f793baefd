#!/bin/sh
# Programs of one line, as one types them.
# run: -

$DTRACE -n 'syscall::write:entry { @[execname] = quantize(arg2); }' -c "$WORK io" 2>&1
$DTRACE -n 'syscall::openat:entry /strstr(copyinstr(arg1), "/dev") != 0/ { printf("%s %s", execname, copyinstr(arg1)); }' \
	-c "$WORK opens" 2>&1
$DTRACE -n 'syscall:::return /errno == EBADF/ { @[probefunc, errno] = count(); }' -c "$WORK errors" 2>&1
$DTRACE -qn 'pid$target:a.out:factorial: { @[probename] = count(); } END { trunc(@, 2); }' \
	-c "$WORK calls" | grep -E 'entry|return' | sort
$DTRACE -n 'pid$target::main:entry { printf("%s, argc %d, %s", basename(curpsinfo->pr_psargs), arg0,
    copyinstr(*(uintptr_t *)copyin(arg1 + 8, 8))); }' -c "$WORK calls" 2>&1
$DTRACE -f syscall::lseek -c "$WORK io" 2>/dev/null
$DTRACE -P syscall'/pid == $target && probefunc == "lseek"/{trace(probename)}' -c "$WORK io" 2>&1
