/* a function that the library chooses when it starts: by its name, the chosen one */
/* run: -c @names@ */
pid$target:a.out:length:entry { self->on = 1; }
pid$target:libc:strlen:entry /self->on/ { printf("%s %s\n", probefunc, basename(copyinstr(arg0))); }
pid$target:a.out:length:return { self->on = 0; }
