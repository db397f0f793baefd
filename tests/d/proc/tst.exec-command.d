/* evaltime=exec: the exec of the command itself is an event */
/* run: -x evaltime=exec -c @once@ */
proc:::exec-success { printf("%d %s\n", pid == $target, execname); }
