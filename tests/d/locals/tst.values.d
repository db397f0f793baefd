/* Local variables and parameters by their types, in memory. */
/* run: -qs @file@ -c @lined_O0@ */
pid$target:a.out::lined.c@39 { printf("%d of %d: %d %d\n", locals.i, locals.n, locals.total, locals.low); }
pid$target:a.out:sum:lined.c@41 { printf("calls %d\n", locals.calls); }
pid$target:a.out::lined.c@25 { printf("%d twice is %d\n", locals.half, locals.whole); }
pid$target:a.out:place:entry { printf("entry %s\n", copyinstr((uintptr_t)locals.p->name)); print(locals.scale); }
pid$target:a.out:place:lined.c@62 { printf("\ninner x %d\n", locals.x); }
pid$target:a.out:place:lined.c@64 { @["outer x", locals.x, locals.own.x] = max(1); }
pid$target:a.out:place:lined.c@66 { @["y", locals.own.y, locals.p->y] = max(1); }
pid$target:a.out:gone:lined.c@73 /locals.a + locals.b == 13/ { printf("%d\n", sizeof(locals.a)); }
/* In an inlined copy, and in the function that holds it. */
pid$target:a.out:twice:inlined { @["half", locals.half, 0] = max(1); }
pid$target:a.out:copies:lined.c@50 { @["first", locals.first, 0] = max(1); }
pid$target:a.out:copies:lined.c@46 { @["a", locals.a, 0] = max(1); }
