#!/usr/sbin/dtrace -s
/* The ways to print aggregations.
 * run: -c "@errands@ io" */

#pragma D option quiet
#pragma D option aggsortrev
#pragma D option bufsize=8m
#pragma D option dynvarsize=32m
#pragma D option strsize=1k
#pragma D option cleanrate=50hz
#pragma D option defaultargs

inline string NAME = $$1 == "" ? "none" : $$1;
inline int TOP = $2 ? $2 : 2;

syscall::read:return,
syscall::write:return,
syscall::lseek:return
/probefunc == "lseek" || fds[3].fi_name == "notes.txt"/
{
	@calls[probefunc] = count();
	@bytes[probefunc] = sum(arg0);
	@minus[probefunc, 1] = sum(-5);
}

dtrace:::END
{
	printf("%s %d\n", NAME, TOP);
	trunc(@calls, TOP);
	printa("%-6s|%8@d|%-8@d|%@8d|\n", @calls, @bytes, @calls);
	printa("%6s%%|%d|%@d\n", @minus);
	normalize(@bytes, 1000);
	printa("%s %@dK\n", @bytes);
	denormalize(@bytes);
	printa("%s %@d\n", @bytes);
	clear(@calls);
	printa("%s %@d\n", @calls);
	printf("%5d|%-5d|%05d|%5.2s|%*d|%x|%#x|%o|%c\n", 7, 7, 7, "abc", 4, 7, 255, 255, 8, 65);
}
