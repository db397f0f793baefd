BEGIN { x = 1; x = "a"; exit(0); }
