BEGIN { trace(a`b`c); exit(0); }
