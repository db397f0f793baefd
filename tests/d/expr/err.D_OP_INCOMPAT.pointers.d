BEGIN { p = (int *)8; q = (char *)8; trace(p == q); exit(0); }
