/* args[] of every probe that has them: processes, threads, numbers, paths */
/* run: -c "@caller@ @once@" */
/* SPDX-License-Identifier: MIT */
proc:::create
{
	@c[args[0]->pr_pid == arg0, args[0]->pr_ppid == pid,
	    args[0]->pr_psargs == curpsinfo->pr_psargs] = count();
}
proc:::exec { printf("%s\n", args[0]); }
proc:::exec-failure { printf("failure %d\n", args[0]); }
proc:::exit { printf("exit %d\n", args[0] == CLD_EXITED); }
proc:::lwp-create
{
	printf("%d %d %s\n", args[0]->pr_lwpid == arg0, args[1]->pr_pid == pid,
	    args[1]->pr_fname);
}
proc:::signal-send, proc:::signal-discard
{
	@s[probename, args[0]->pr_lwpid == tid, args[1]->pr_pid == pid, args[2]] = count();
}
proc:::signal-handle { @h[args[0], args[2] == uregs[R_RIP]] = count(); }
