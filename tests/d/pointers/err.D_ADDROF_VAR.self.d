self int x;
BEGIN { p = &self->x; exit(0); }
