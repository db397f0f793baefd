/* SPDX-License-Identifier: MIT */
/* Which functions of the kernel use the processors?
 *
 *	dtrace -s hotkernel [SECONDS]
 *
 * Prints the samples in each function, 997 a second and processor, the hottest last. Of the
 * whole machine, for root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

profile-997
/arg0/
{
	@functions[sym(arg0)] = count();
}

profile-997
/arg1/
{
	@programs[execname] = count();
}

END
{
	printf("%-48s %8s\n", "FUNCTION", "SAMPLES");
	printa("%-48a %@8d\n", @functions);
	printf("\n%-48s %8s\n", "IN PROGRAMS", "SAMPLES");
	printa("%-48s %@8d\n", @programs);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
