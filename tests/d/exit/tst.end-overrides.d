BEGIN { exit(3); }
END { exit(7); }
