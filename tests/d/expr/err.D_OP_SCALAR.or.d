BEGIN { s = "a"; trace(1 || s); exit(0); }
