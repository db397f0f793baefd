BEGIN { exit(256); }
