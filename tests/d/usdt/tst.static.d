/* A static program. */
/* run: -qs @file@ -c '@noted_static@ 2' */
noted$target:::memory { printf("%s %s %x %x\n", probemod, probefunc, arg0, arg3); }
noted$target:::guarded { printf("%s %d %d\n", probefunc, arg0, arg1); }
