extern int f(int);
BEGIN { trace(sizeof (int (int))); exit(0); }
