/* in END and ERROR as well */
BEGIN { x = *(int *)0; }
BEGIN { exit(0); }
ERROR { printf("%s %d %d\n", probename, id, pid == $pid); }
END { printf("%s %d %s\n", probename, id, execname); }
