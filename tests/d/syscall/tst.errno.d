/* a failed call returns -1; errno is that of the call, and 0 elsewhere */
/* run: -c "@caller@" */
syscall::close:return /errno/ { printf("%d %d %d\n", arg0, arg1, errno); }
syscall::close:entry /errno/ { printf("no\n"); }
