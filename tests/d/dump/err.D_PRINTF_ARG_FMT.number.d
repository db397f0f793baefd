BEGIN { dump(1); exit(0); }
