/* Operands that are floating-point numbers, in vector registers and in memory. */
/* run: -qs @file@ -c '@noted@ 1' */
noted$target:::floats { printf("%g %g %g %g %g\n", args[0], args[1], args[2], args[3], args[4]); }
noted$target:::floats { printf("%x %x\n", arg0, arg1); print(args[0]); print(args[1]); }
