/* In registers, by what callers have passed, and as parts of a struct. */
/* run: -qs @file@ -c @lined@ */
pid$target:a.out:sum:lined.c@41 { printf("%d %d\n", locals.n, locals.calls); }
pid$target:a.out:place:entry { printf("%d\n", locals.p->x); print(locals.scale); }
pid$target:a.out:place:lined.c@60 { printf("\n%d %s\n", locals.p->x, copyinstr((uintptr_t)locals.p->name)); }
pid$target:a.out:place:lined.c@66 { print(locals.scale); }
pid$target:a.out:gone:lined.c@71 { printf("\n%d %d\n", locals.a, locals.b); }
pid$target:a.out:gone:lined.c@73 { printf("%d %d\n", locals.a, locals.b); }
pid$target:a.out:twice:inlined /!self->once++/ { printf("%d\n", locals.half); }
pid$target:a.out:split:lined.c@88 { @["part", locals.both.part] = count(); }
