/* a variable may be brought about by the predicate */
BEGIN /++n == 1/ { printf("%d %d\n", n, sizeof (n)); n = 10; }
BEGIN /a["k"]++ == 0 && self->s++ == 0/ { printf("%d %d\n", a["k"], self->s); }
BEGIN /(m = 5) > 4/ { printf("%d\n", m); }
BEGIN /n++ == 10/ { printf("%d\n", n); exit(0); }
