inline int = 3;
BEGIN { exit(0); }
