/* clear(), trunc() and printa() of a speculation happen when it is committed */
BEGIN { @a = sum(5); self->s = speculation(); }
BEGIN { speculate(self->s); printa("in the speculation: %@d\n", @a); clear(@a); }
BEGIN { printa("before: %@d\n", @a); }
BEGIN { commit(self->s); }
BEGIN { printa("after: %@d\n", @a); exit(0); }
