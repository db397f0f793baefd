/* arguments of ERROR: epid, action, offset, fault, address; where the fault happened */
/* run: -c @once@ */
BEGIN { which = 0; }
pid$target:a.out:f:entry { which = epid; x = 1; trace(copyin(0x7000, 4)); }
pid$target:a.out:f:entry { which = epid; trace(1 / (arg1 * 0)); }
dtrace:::ERROR { printf("%d %d %d %d %d %x %d\n", arg0, arg1 == which, arg2, arg3 > 0, arg4, arg5, pid == $target); }
