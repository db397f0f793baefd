/* The semaphore is raised before the first round, and the program prepares arguments then. */
/* run: -qs @file@ -c '@noted@ 3' */
noted$target:::guarded { printf("%d %d\n", args[0], args[1]); }
noted$target:::guarded { @[probefunc] = count(); }
