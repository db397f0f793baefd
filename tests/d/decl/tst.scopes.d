/* global, self and this variables of one name are three */
int x; self int x; this int x;
BEGIN { x = 1; self->x = 2; this->x = 3; }
BEGIN { printf("%d %d %d\n", x, self->x, this->x); exit(0); }
