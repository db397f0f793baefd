/* with -C libraries are preprocessed too */
/* run: -C -D VALUE=12 -L @dir@/cpp */
BEGIN { printf("%d %d\n", FROM_CPP, VALUE); exit(0); }
