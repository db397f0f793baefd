/* run: -L @dir@/lib */
BEGIN { printf("%d\n", thing->size); exit(0); }
