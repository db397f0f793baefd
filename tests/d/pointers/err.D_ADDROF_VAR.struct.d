struct s { int a; };
struct s g;
BEGIN { p = &g; exit(0); }
