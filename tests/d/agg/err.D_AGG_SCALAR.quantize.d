BEGIN { s = "a"; @a = quantize(s); exit(0); }
