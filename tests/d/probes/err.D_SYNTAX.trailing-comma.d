BEGIN, { exit(0); }
