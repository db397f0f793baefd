struct s { int a; };
struct s s;
BEGIN { s = 1; exit(0); }
