BEGIN { x = 1; trace(x(2)); exit(0); }
