BEGIN { trace(4 / 0); exit(0); }
