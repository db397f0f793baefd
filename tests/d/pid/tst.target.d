/* built-in variables of the traced process */
/* run: -c @once@ */
pid$target:a.out:f:entry
{
	printf("%d %d %d %s\n", pid == $target, tid == $target, ppid == $pid, execname);
	printf("%d %d\n", strlen(probeprov) > 3, uid == $uid);
}
