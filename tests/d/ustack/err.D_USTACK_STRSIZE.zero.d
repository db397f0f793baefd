BEGIN { ustack(1, 0); }
