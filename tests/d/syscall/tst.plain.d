/* entry and return of a call that cannot fail */
/* run: -c "@caller@" */
syscall::getppid:entry { n++; }
syscall::getppid:return /arg0 == ppid && arg1 == ppid && errno == 0/ { r++; }
END { printf("%d %d\n", n, r); }
