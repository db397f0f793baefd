/* command: -q -v -n 'BEGIN { printf("%d\n", curpsinfo->pr_pid == pid); exit(0); }' */
