/* all calls: exit_group, three rt_sigreturn and the read that is left have no return */
/* run: -c "@caller@" */
syscall:::entry { n++; }
syscall:::return { r++; }
END { printf("%d %d\n", n > 50, n - r); }
