BEGIN { x = 1; x ? trace(1) : trace(2); exit(0); }
