BEGIN { s = stringof ((void)1); exit(0); }
