BEGIN { x = 1; trace(x->y); exit(0); }
