BEGIN { p = (int *)8; trace(p->5); exit(0); }
