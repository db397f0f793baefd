BEGIN { trace(1e5); exit(0); }
