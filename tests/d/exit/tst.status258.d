BEGIN { exit(258); }
