/* at its end a process of one thread, started by -c, still has all that the kernel knows of it */
/* run: -c "@once@" */
/* SPDX-License-Identifier: MIT */
proc:::lwp-exit, proc:::exit
{
	printf("%s %s %d %d %s\n", probename, basename(curpsinfo->pr_psargs),
	    cwd != "", curlwpsinfo->pr_syscall, basename(fds[0].fi_pathname));
}
