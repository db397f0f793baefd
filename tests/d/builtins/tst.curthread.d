/* an opaque pointer, another for each thread: key, operand, source of a translation */
/* run: -q -s @file@ -c "@spin@ 300" */
syscall:::entry { @[curthread, tid] = count(); threads[curthread] = tid; }
syscall:::entry /threads[curthread] != tid || curthread == NULL/ { bad++; }
syscall:::entry { calls++; }
syscall:::return { self->last = curthread; }
syscall:::entry /self->last && self->last != curthread/ { bad++; }
syscall:::entry /xlate <lwpsinfo_t *> (curthread)->pr_lwpid != tid/ { bad++; }
syscall:::entry { this->p = xlate <psinfo_t> (curthread); bad += this->p.pr_pid != pid; }
syscall:::entry /first == 0/ { first = (uintptr_t)curthread; }
syscall:::entry /(uintptr_t)curthread != first/ { others++; }
END { trunc(@); printf("%d %d %d\n", calls > 0, others > 0, bad); }
