BEGIN { speculate(1); dump("x"); exit(0); }
