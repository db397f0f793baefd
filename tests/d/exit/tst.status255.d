BEGIN { exit(255); }
