BEGIN { trace(self->x); exit(0); }
