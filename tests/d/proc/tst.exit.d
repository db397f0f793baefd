/* an exit: CLD_EXITED */
/* run: -c "@caller@" */
proc:::exit { printf("%d %d %s\n", arg0, pid == $target, execname); }
