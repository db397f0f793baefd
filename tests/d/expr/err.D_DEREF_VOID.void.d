BEGIN { trace(*(void *)8); exit(0); }
