/* SPDX-License-Identifier: MIT */
/* Which instructions use the processor?
 *
 *	dtrace -s hot -c CMD | -p PID  [TOP]
 *
 *	dtrace -s hot -c 'sqlite3 :memory: "select sum(value) from generate_series(1,9999999)"'
 *	dtrace -s hot -p $(pgrep redis-server)
 *
 * Prints the TOP (20) addresses, as function and offset, where threads were running, by
 * samples, and their shares in all samples: 997 samples are one second of processor time.
 * What follows a slow instruction is hit instead of it.
 */
#pragma D option quiet
#pragma D option defaultargs=20
#pragma D option aggsortrev

BEGIN
{
	setopt("aggtop", $$1);
	@all = sum(0);
}

profile-997
{
	@samples[uaddr(arg1)] = count();
	@all = sum(1);
}

END
{
	printf("%-64s %8s %7s\n", "INSTRUCTION", "SAMPLES", "SHARE");
	printa("%-64A %@8d %@6.2f%%\n", @samples);
	printa("%@d samples in all\n", @all);
}
