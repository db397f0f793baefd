BEGIN { exit(1); }
END { exit(4); }
