BEGIN { trace(1.5); exit(0); }
