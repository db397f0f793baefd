/* an object of the target is there */
/* run: -L @dir@/module -c @once@ */
BEGIN { printf("%d\n", HAS_LIBC); exit(0); }
