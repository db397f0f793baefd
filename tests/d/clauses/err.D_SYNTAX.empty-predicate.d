BEGIN // { exit(0); }
