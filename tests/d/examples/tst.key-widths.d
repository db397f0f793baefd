BEGIN { @[(char)1, (short)2, 3, (long)4] = sum(5); exit(0); }
