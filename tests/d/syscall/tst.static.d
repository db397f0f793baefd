/* a static program */
/* run: -c "@plain_static@" */
syscall::exit_group:entry { printf("%s %d\n", probefunc, arg0); }
