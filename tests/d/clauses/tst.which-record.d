/* what records nothing prints no line */
/* run: -s @file@ */
BEGIN { x = 1; @a = count(); self->y = 2; }
BEGIN { strlen("x"); }
BEGIN { clear(@a); }
BEGIN { trunc(@a); }
BEGIN { printf("x"); trace(1); exit(0); }
