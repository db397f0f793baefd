BEGIN { p = (int *)8; trace(p + p); exit(0); }
