BEGIN { trunc(1); exit(0); }
