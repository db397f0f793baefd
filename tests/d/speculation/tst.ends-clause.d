/* run: -x nspec=2 */
/* speculate() that has no place to record to ends its clause */
int n;

BEGIN { self->s = speculation(); }
BEGIN { speculate(0); n = 1; }
BEGIN { speculate(2); n = 2; }
BEGIN { if (n == 0) { speculate(0); n = 6; } n = 7; }
BEGIN { if (n == 1) { speculate(0); } else { n = 8; } }
BEGIN { printf("%d\n", n); }
BEGIN { speculate(self->s); n = 9; printf("speculated\n"); }
BEGIN { discard(self->s + 1); }
BEGIN { discard(self->s); speculate(self->s); n = 10; }
BEGIN { commit(self->s); }
BEGIN { printf("%d\n", n); exit(0); }
