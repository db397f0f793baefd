BEGIN { trace(&5); exit(0); }
