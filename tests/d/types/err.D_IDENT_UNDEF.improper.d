BEGIN { trace(a`b`c`d); exit(0); }
