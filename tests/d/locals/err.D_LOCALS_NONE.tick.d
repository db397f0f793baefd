/* run: -qs @file@ -c @lined_O0@ */
tick-1s { trace(locals.n); }
