/* SPDX-License-Identifier: MIT */
/* From where is the processor used: the stacks for a flame graph?
 *
 *	dtrace -s flame -c CMD | -p PID  [TOP]
 *
 *	dtrace -s flame -c 'sqlite3 :memory: "select sum(value) from generate_series(1,9999999)"'
 *	dtrace -s flame -p $(pgrep redis-server) 5
 *
 * Prints the TOP (initially all) stacks that were running, with their samples and shares in
 * all samples, the most frequent one last, then the number of samples: each thread is
 * sampled 99 times for each second that it runs. With --flame FILE.svg it draws them.
 */
#pragma D option quiet
#pragma D option defaultargs=0
#pragma D option ustackframes=100
#pragma D option aggshare

BEGIN
{
	setopt("aggtop", $$1);
}

profile-99
{
	@[ustack()] = count();
}
