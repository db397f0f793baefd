#!/usr/sbin/dtrace -s
/* Sizes of what is written, by file.
 * run: -c "@errands@ io" */

#pragma D option quiet

syscall::write:entry
/execname == "errands"/
{
	@sizes[execname, basename(fds[arg0].fi_pathname)] = quantize(arg2);
	@low = min(arg2);
	@high = max(arg2);
	@mean = avg(arg2);
	@spread = stddev(arg2);
}

END
{
	printa("%s writes to %s\n%@d", @sizes);
	printa("from %@d to %@d, mean %@d, deviation %@d\n", @low, @high, @mean, @spread);
}
