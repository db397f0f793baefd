BEGIN { s = "a"; s = 5; exit(0); }
