/* fds[]: the descriptors of the current process, which for BEGIN is dtrace */
/* run: -q -s @file@ -c "/bin/cat /dev/null" */
BEGIN { printf("%s %s %s\n", fds[0].fi_pathname, fds[0].fi_name, fds[0].fi_dirname); }
BEGIN { bad = fds[0].fi_pathname != fd_text(0, 0) || fds[0].fi_oflags != fd_number(0, 4); }
BEGIN { printf("%s %s %d\n", fds[12345].fi_pathname, fds[-1].fi_fs, fds[777].fi_oflags); }
syscall::read:entry /fds[arg0].fi_pathname == "/dev/null"/ {
	printf("%s %s %s %d %d\n", execname, fds[arg0].fi_name, fds[arg0].fi_dirname,
	    fds[arg0].fi_oflags & O_ACCMODE, fds[arg0].fi_offset);
	mounted = strlen(fds[arg0].fi_mount); known = fds[arg0].fi_fs != "<unknown>";
}
END { printf("%d %d %d\n", mounted > 0, known, bad); }
