/* what a probe of a process knows of it */
/* run: -c @once@ */
pid$target:a.out:f:entry
{
	printf("%d %d %s %d %d\n", pid == $target, tid == $target, execname, errno, uid == curpsinfo->pr_uid);
	printf("%s %d %d\n", curpsinfo->pr_fname, curpsinfo->pr_pid == pid, stackdepth);
	@[stack()] = count();
}
