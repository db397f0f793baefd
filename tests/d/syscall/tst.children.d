/* the children of vfork and fork are not traced; exit_group is the program's own */
/* run: -c "@caller@" */
syscall::vfork:return, syscall::wait4:return /arg0 > 0 && arg0 != pid/ { printf("%s\n", probefunc); }
syscall::exit_group:entry { n++; }
END { printf("%d\n", n); }
