/* Reading a variable at a site where it does not exist is a fault. */
/* run: -qs @file@ -c @lined_O0@ */
pid$target:a.out:[sg]*:lined.c@[47]1 { printf("%s %d\n", probefunc, locals.b); }
pid$target:a.out:[sg]*:lined.c@[47]1 { printf("%s\n", probefunc); }
BEGIN { trace(local_gone()); }
