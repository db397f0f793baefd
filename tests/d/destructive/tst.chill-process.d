/* the same in a process, which sees the time pass */
/* run: -w -c @once@ */
pid$target:a.out:f:entry { self->t = timestamp; chill(200000000); }
pid$target:a.out:f:return { printf("%d\n", timestamp - self->t >= 200000000); }
