inline int x = 10;
BEGIN { x(1); exit(0); }
