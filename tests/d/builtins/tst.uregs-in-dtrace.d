/* in BEGIN, tick and ERROR uregs are dtrace's own: no fault */
BEGIN { printf("%d %d\n", uregs[R_PC] != 0, uregs[R_SP] != 0); }
BEGIN { x = *(int *)0; }
ERROR { printf("%d %d\n", uregs[R_PC] != 0, uregs[R_FS] == 0); }
tick-1ms { printf("%d\n", uregs[R_SP] != 0); exit(0); }
