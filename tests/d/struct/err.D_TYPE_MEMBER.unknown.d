struct s { int a; };
struct s g;
BEGIN { g.b = 1; exit(0); }
