/* the six arguments */
/* run: -c "@caller@" */
syscall::kcmp:entry { printf("%d %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5, arg6); }
