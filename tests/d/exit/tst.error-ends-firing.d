/* exit() in ERROR ends the firing that faulted, too */
ERROR { exit(0); }
ERROR { printf("no\n"); }
tick-1ms { trace(*(int *)0); }
tick-1ms { printf("no\n"); }
