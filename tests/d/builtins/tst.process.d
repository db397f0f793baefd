/* in BEGIN they describe dtrace */
BEGIN
{
	printf("%d %d %d %d\n", pid == $pid, ppid == $ppid, uid == $uid, gid == $gid);
	printf("%s %d %d\n", execname, tid == pid, sizeof (pid));
	printf("%s|%s|%s|%s\n", probeprov, probemod, probefunc, probename);
	exit(0);
}
