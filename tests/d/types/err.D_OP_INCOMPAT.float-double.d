double x;
float y;
BEGIN { x = y; exit(0); }
