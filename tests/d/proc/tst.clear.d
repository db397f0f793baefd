/* signals that a thread waited for */
/* run: -c @sigwait@ */
proc:::signal-clear { @[args[0] == SIGUSR1 ? "USR1" : "USR2"] = count(); }
proc:::signal-handle { printf("handled\n"); }
END { printa("%s %@d\n", @); }
