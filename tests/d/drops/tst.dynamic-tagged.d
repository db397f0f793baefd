/* run: -x dynvarsize=0 -x droptags */
BEGIN { self->a = 1; printf("%d\n", self->a); exit(0); }
