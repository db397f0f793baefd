inline int x;
BEGIN { exit(0); }
