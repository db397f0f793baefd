/* SPDX-License-Identifier: MIT */
/* What do the processors do?
 *
 *	dtrace -s cpus [SECONDS]
 *
 * Prints the samples of each program on each processor, 97 a second. The program swapper is
 * an idle processor. Of the whole machine, for root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

profile-97
{
	@samples[cpu, execname] = count();
}

END
{
	printf("%4s %-16s %8s\n", "CPU", "PROGRAM", "SAMPLES");
	printa("%4d %-16s %@8d\n", @samples);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
