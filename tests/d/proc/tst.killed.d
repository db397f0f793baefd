/* a death by a signal: CLD_KILLED or CLD_DUMPED */
/* run: -c "@dies@ segv" */
proc:::exit { printf("%d\n", arg0 >= 2); }
proc:::signal-send { printf("%s %d %d %d\n", probename, arg0 == tid, arg1 == pid, arg2); }
