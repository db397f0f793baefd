struct s { int a; };
struct s g;
BEGIN { p = &g.a; exit(0); }
