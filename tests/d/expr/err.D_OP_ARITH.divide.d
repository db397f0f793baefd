BEGIN { p = (int *)8; trace(p / 2); exit(0); }
