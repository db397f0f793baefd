/* storing zero frees the variable, which still reads as zero */
BEGIN { self->x = 5; self->s = "text"; }
BEGIN { self->x = 0; self->s = NULL; }
BEGIN { printf("%d %d\n", self->x, self->s == NULL); self->x = 7; }
BEGIN { printf("%d\n", self->x); exit(0); }
