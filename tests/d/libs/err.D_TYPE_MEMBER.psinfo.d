BEGIN { trace(curpsinfo->pr_nothing); exit(0); }
