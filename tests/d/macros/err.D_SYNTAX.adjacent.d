BEGIN { trace(123$pid); exit(0); }
