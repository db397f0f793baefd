BEGIN { s = "a"; s += "b"; exit(0); }
