/* a signal that somebody sent is no fault */
/* run: -c "@caller@" */
proc:::fault { n++; }
END { printf("%d\n", n); }
