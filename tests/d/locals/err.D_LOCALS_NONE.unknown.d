/* run: -qs @file@ -c @lined_O0@ */
pid$target:a.out:gone:lined.c@73 { trace(locals.nothing); }
