BEGIN { self->x = "a"; self->x = 1; exit(0); }
