/* a thread from its creation to its end */
/* run: -c "@caller@" */
proc:::lwp-create { t = arg0; printf("%d %d\n", arg1 == pid, tid == pid); }
proc:::lwp-start, proc:::lwp-exit /tid != pid/ { printf("%s %d\n", probename, tid == t); }
