/* of the traced process */
/* run: -c "@once@ with arguments" */
psinfo_t whole;
pid$target:a.out:f:entry
{
	printf("%d %s\n", curpsinfo->pr_pid == $target, curpsinfo->pr_fname);
	printf("%s\n", curpsinfo->pr_psargs);
	printf("%d %d\n", curpsinfo->pr_argc, curpsinfo->pr_nlwp);
	printf("%s\n", copyinstr(*(uint64_t *)copyin(curpsinfo->pr_argv + 8, 8)));
	whole = *curpsinfo;
	printf("%d %s %d\n", whole.pr_pid == pid, whole.pr_fname, whole.pr_argc);
	printf("%d %d\n", curlwpsinfo->pr_lwpid == tid, curlwpsinfo->pr_state == SSTOP);
}
