BEGIN { exit(3); }
