/* run: -qs @file@ -c @lined_O0@ */
pid$target:a.out:sum:lined.c@39 { locals.n = 2; }
