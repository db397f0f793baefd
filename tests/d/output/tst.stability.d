/* -v reports the stability of a program */
/* command: -v -n 'BEGIN { trace(pid); exit(0); }' */
