struct s { int a : 3; };
struct s g;
BEGIN { trace(&g.a); exit(0); }
