/* the same in dtrace itself */
BEGIN { which = epid; x = 1; y = *(int *)0x5000; }
BEGIN { exit(0); }
dtrace:::ERROR { printf("%d %d %d %d %x %d\n", arg1 == which, arg2, arg3 > 0, arg4, arg5, pid == $pid); }
