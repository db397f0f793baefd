BEGIN { trace(z); z = 1; exit(0); }
