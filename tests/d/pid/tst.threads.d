/* self-> of the threads stay apart */
/* target: busy 20 */
/* run: -p @pid@ */
pid$target:a.out:work:entry { self->n++; self->me = tid; bad += self->me != tid; @[tid] = count(); }
pid$target:a.out:work:entry /++n >= 2000/ { exit(0); }
END { printf("%d\n", bad); trunc(@); }
