/* run: -s @file@ */
/* a clause that only speculates commits an empty record; lines keep their own names */
BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); }
BEGIN { commit(self->s); }
END { trace(1); }
BEGIN { exit(0); }
