/* A thread that is not the first one executes a program: its process ends once, at its end. */
/* run: -c "@leaderless@ now" */
proc:::lwp-exit, proc:::exec-success, proc:::exit { @[probename, execname, tid == pid] = count(); }
