/* one nap is one call, whatever interrupts it */
/* run: -c "@caller@" */
syscall::nanosleep:entry { self->t = timestamp; }
syscall::nanosleep:return { printf("%d %d %d\n", arg0, errno, timestamp - self->t > 40000000); }
