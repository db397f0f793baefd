BEGIN { nosuch(1, 2); exit(0); }
