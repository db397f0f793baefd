struct s { int a; };
struct s s;
BEGIN { s = 0; exit(0); }
