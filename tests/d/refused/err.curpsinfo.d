/* refused by name until it is written */
BEGIN { trace(curpsinfo->pr_pid); exit(0); }
