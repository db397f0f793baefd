BEGIN { trace(cwd); exit(0); }
