struct s { int a; };
struct s g;
BEGIN { trace(g->a); exit(0); }
