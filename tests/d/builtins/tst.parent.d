/* the same in a jump and at a breakpoint */
/* run: -c @once@ */
pid$target:a.out:f:entry { printf("%d %s %s %d\n", ppid == $pid, execname, threadname, errno); }
pid$target:a.out:f:entry { printf("%d\n", vtimestamp > 0 && vtimestamp < 60000000000); }
