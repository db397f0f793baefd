#!/usr/sbin/dtrace -Cs
/* #include with -I, #define with -D, conditions; the line of an interpreter is none */
/* run: -C -I @dir@ -D MORE=2 */
#include "values.h"
#if MORE == 2 && defined(VALUE)
BEGIN { printf("%d %d\n", VALUE, SQUARE(MORE + 1)); exit(0); }
#else
BEGIN { printf("wrong\n"); exit(0); }
#endif
