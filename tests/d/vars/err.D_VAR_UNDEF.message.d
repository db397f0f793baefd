BEGIN { x = 1; trace(self->y); exit(0); }
