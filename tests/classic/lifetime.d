#!/usr/sbin/dtrace -s
/* How long programs run, from their exec to their end.
 * run: -x follow -c "@errands@ family" */

#pragma D option quiet

proc:::exec-success
/pid != $target/
{
	begin[pid] = timestamp;
}

proc:::exit
/begin[pid] && execname == "errands"/
{
	this->ms = (timestamp - begin[pid]) / 1000000;
	begin[pid] = 0;
	@count[execname, curpsinfo->pr_psargs] = count();
	@long[this->ms >= 75 ? "75 ms and more" : "less"] = count();
}

dtrace:::END
{
	printa("%s: %@d\n", @long);
	printa("%s %s %@d\n", @count);
}
