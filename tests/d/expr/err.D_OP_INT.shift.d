BEGIN { p = (int *)8; trace(p << 1); exit(0); }
