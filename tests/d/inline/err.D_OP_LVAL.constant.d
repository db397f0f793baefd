inline int x = 10;
BEGIN { x = 11; exit(0); }
