BEGIN { s = "a"; s++; exit(0); }
