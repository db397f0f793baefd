/* there is no target memory in BEGIN and END */
BEGIN { x = *(int *)copyin(4096, 4); }
BEGIN { s = copyinstr(8192); }
BEGIN { exit(0); }
ERROR { printf("%d %x\n", arg4, arg5); }
