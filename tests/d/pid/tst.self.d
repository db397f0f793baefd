/* self-> per thread, from entry to return */
/* run: -c @once@ */
pid$target:a.out:main:entry { self->depth++; self->start = timestamp; }
pid$target:a.out:f:entry { self->depth++; self->seen = self->depth; }
pid$target:a.out:f:return { self->depth--; }
pid$target:a.out:main:return { printf("%d %d %d\n", self->depth, self->seen, timestamp > self->start); }
END { printf("%d\n", self->depth); }
