BEGIN { s = "a"; trace((int)s); exit(0); }
