BEGIN { trace("a" == 1); exit(0); }
