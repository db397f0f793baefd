/* tags in drop messages */
/* run: -x droptags */
BEGIN { x = *(int *)0; }
BEGIN { exit(0); }
ERROR { x = *(int *)4; }
