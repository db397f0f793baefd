/* names of other systems */
/* run: -c "@caller@" */
syscall::exece:entry { printf("%s\n", probefunc); }
syscall::rexit:entry { printf("%s\n", probefunc); }
