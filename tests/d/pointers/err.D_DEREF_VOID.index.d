BEGIN { trace(((void *)1)[2]); exit(0); }
