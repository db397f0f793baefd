/* negative-arguments */
/* run: -c "@caller@" */
syscall::close:entry /(int)arg0 < 0/ { printf("%d %x\n", (int)arg0, (unsigned)arg0); }
