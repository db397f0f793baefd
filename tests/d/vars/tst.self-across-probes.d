/* BEGIN, END and ERROR share one self-> */
BEGIN { self->x = 5; self->s = "kept"; x = *(int *)0; }
BEGIN { exit(0); }
ERROR { self->x++; }
END { printf("%d %s\n", self->x, self->s); }
