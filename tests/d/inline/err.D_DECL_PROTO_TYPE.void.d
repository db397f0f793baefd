inline int x[void a] = 1;
BEGIN { exit(0); }
