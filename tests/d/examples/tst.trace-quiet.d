BEGIN { trace(1); trace("a"); trace((long)2); exit(0); }
