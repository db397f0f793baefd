/* run: -qs @file@ -c @lined_O0@ */
inline int outside = locals.n;
BEGIN { }
