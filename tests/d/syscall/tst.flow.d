/* flow indentation has arrows of its own for system calls */
/* run: -F -c "@caller@" -s @file@ */
syscall::kcmp: { }
