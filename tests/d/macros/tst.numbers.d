/* variables of dtrace itself */
BEGIN { printf("%d%d%d%d%d\n", $pid == pid, $ppid == ppid, $uid == uid, $gid == gid, $target);
	printf("%d%d%d\n", $pgid > 0, $sid > 0, $euid == $uid && $egid == $gid); exit(0); }
