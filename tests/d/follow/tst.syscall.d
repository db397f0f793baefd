/* the calls of children; what fork returns to the one that called it, and to the child */
/* run: -x follow -c "@family@ fork" */
syscall::clone:return { @fork[arg0 == 0] = count(); }
syscall::exit_group:entry { @ends = count(); }
END { printa("%d %@d\n", @fork); printa("%@d\n", @ends); }
