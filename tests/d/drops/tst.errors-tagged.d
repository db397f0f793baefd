/* run: -x droptags */
ERROR { trace(*(int *)8); }
BEGIN { trace(*(int *)0); }
BEGIN { trace(*(int *)0); }
BEGIN { exit(0); }
