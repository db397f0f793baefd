BEGIN { exit(-1); }
