/* self-> from entry to return */
/* run: -c "@caller@" */
syscall:::entry { self->f = probefunc; }
syscall:::return /self->f == "kcmp"/ { printf("%s %d\n", probefunc, arg0); self->f = 0; }
