BEGIN { trace("a" ? 1 : 2); exit(0); }
