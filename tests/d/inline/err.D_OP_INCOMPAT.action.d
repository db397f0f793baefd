inline int x = exit(0);
BEGIN { exit(0); }
