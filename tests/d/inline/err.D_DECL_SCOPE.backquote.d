inline int a`x = 1;
BEGIN { exit(0); }
