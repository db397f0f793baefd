/* SPDX-License-Identifier: MIT */
/* Which functions of which threads use the processor?
 *
 *	dtrace -s oncpu -c CMD | -p PID  [TOP]
 *
 *	dtrace -s oncpu -c 'sqlite3 :memory: "select sum(value) from generate_series(1,9999999)"'
 *	dtrace -s oncpu -p $(pgrep redis-server)
 *
 * Prints the TOP (20) functions by samples, and their shares in all samples: each thread is
 * sampled 199 times for each second that it runs, so 199 samples are one second of
 * processor time.
 */
#pragma D option quiet
#pragma D option defaultargs=20
#pragma D option aggsortrev

BEGIN
{
	setopt("aggtop", $$1);
	@all = sum(0);
}

profile-199
{
	@samples[execname, tid, ufunc(arg1)] = count();
	@all = sum(1);
}

END
{
	printf("%-15s %8s %-56s %8s %7s\n", "COMMAND", "TID", "FUNCTION", "SAMPLES", "SHARE");
	printa("%#-15s %8d %-56A %@8d %@6.2f%%\n", @samples);
	printa("%@d samples in all\n", @all);
}
