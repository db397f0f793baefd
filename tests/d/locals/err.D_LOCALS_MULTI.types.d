/* run: -qs @file@ -c @lined_O0@ */
pid$target:a.out:place:lined.c@6[24] { trace(locals.x); }
