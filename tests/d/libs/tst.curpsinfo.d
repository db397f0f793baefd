/* what a process and a thread are to scripts; in BEGIN those of dtrace itself */
/* not under valgrind: there dtrace has the tool's name */
BEGIN {
	printf("%d %d %d\n", curpsinfo->pr_pid == pid, curpsinfo->pr_ppid == ppid, curpsinfo->pr_uid == uid);
	printf("%d %d %d\n", curpsinfo->pr_gid == gid, curpsinfo->pr_pgid == $pgid, curpsinfo->pr_sid == $sid);
	printf("%d %s %d\n", curpsinfo->pr_euid == $euid, curpsinfo->pr_fname, curpsinfo->pr_fname == execname);
	printf("%d %d\n", curpsinfo->pr_dmodel, curpsinfo->pr_start.tv_sec <= walltimestamp / 1000000000);
	printf("%d %d\n", curpsinfo->pr_time.tv_sec < 600, curpsinfo->pr_start.tv_nsec < 1000000000);
	printf("%d %d\n", curlwpsinfo->pr_lwpid == tid, curlwpsinfo->pr_state == SRUN);
	printf("%c %s\n", curlwpsinfo->pr_sname, curlwpsinfo->pr_name);
	exit(0);
}
