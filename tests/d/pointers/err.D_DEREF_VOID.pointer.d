BEGIN { trace(*(void *)1); exit(0); }
