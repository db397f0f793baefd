/* vfork and fork: arg0 is the child */
/* run: -c "@caller@" */
proc:::create { printf("%d %d\n", arg0 > 0 && arg0 != pid, pid == $target); }
