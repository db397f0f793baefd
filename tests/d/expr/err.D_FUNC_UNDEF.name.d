BEGIN { nosuch(1); exit(0); }
