inline int x = unknown;
BEGIN { exit(0); }
