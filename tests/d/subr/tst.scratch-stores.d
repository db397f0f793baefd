/* the whole scratch memory of a firing can be written, also past what alloca() gave */
BEGIN { p = (char *)alloca(4); q = (char *)alloca(4); p[8] = 'q'; printf("%c\n", *q); }
BEGIN { p = (char *)alloca(4); p[60000] = 'z'; printf("%c\n", p[60000]); }
BEGIN { p = (char *)alloca(4); p[65536] = 'z'; }
BEGIN { p = (char *)alloca(4); p[-100] = 'z'; }
BEGIN { exit(0); }
ERROR { printf("fault %d\n", arg4); }
