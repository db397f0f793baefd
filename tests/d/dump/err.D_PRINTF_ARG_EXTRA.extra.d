BEGIN { gcore("x", 1); exit(0); }
