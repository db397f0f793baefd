BEGIN { trace(self->a[1]); exit(0); }
