/* SPDX-License-Identifier: MIT */
/* Which programs make page faults?
 *
 *	dtrace -s pagefaults [SECONDS]
 *
 * Prints their number by program: of the program itself, and of the kernel for it. Of the
 * whole machine, for root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

sdt:exceptions::page_fault_user
{
	@user[execname] = count();
}

sdt:exceptions::page_fault_kernel
{
	@kernel[execname] = count();
}

END
{
	printf("%-16s %10s %10s\n", "PROGRAM", "ITS OWN", "KERNEL'S");
	printa("%-16s %@10d %@10d\n", @user, @kernel);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
