/* what curpsinfo is made of */
/* run: -c "@once@ with arguments" */
BEGIN { me = curpsinfo_pgid; sid = curpsinfo_sid; }
pid$target:a.out:f:entry
{
	printf("%d %d %d %d\n", curpsinfo_pgid == me, curpsinfo_sid == sid, curpsinfo_euid == uid, curpsinfo_egid == gid);
	printf("%d %d %c\n", curpsinfo_nlwp, curpsinfo_argc, curlwpsinfo_state);
	printf("%s\n", copyinstr(*(uint64_t *)copyin(curpsinfo_argv + 8, 8)));
	printf("%d\n", *(uint64_t *)copyin(curpsinfo_envp - 8, 8));
	printf("%d %d\n", walltimestamp - curpsinfo_start < 60000000000, walltimestamp + 20000000 > curpsinfo_start);
	printf("%d %d\n", curlwpsinfo_onpro < 4096, curlwpsinfo_pri);
	printf("%s\n", curpsinfo_psargs);
}
