/* run: -x nspec=2 */
/* two at a time, committed in the other order */
BEGIN { self->a = speculation(); self->b = speculation(); printf("%d %d\n", self->a, self->b); }
BEGIN { speculate(self->a); printf("first\n"); }
BEGIN { speculate(self->b); printf("second\n"); }
BEGIN { speculate(self->a); printf("first again\n"); }
BEGIN { commit(self->b); }
BEGIN { commit(self->a); }
BEGIN { exit(0); }
