/* SPDX-License-Identifier: MIT */
/* Which threads move between processors?
 *
 *	dtrace -s migrations [SECONDS]
 *
 * Prints how often threads of each program were moved from one processor to another. Of the
 * whole machine, for root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

sdt:sched::sched_migrate_task
{
	@moves[stringof(args[0]->comm), args[0]->orig_cpu, args[0]->dest_cpu] = count();
}

END
{
	printf("%-16s %5s %5s %8s\n", "PROGRAM", "FROM", "TO", "MOVES");
	printa("%-16s %5d %5d %@8d\n", @moves);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
