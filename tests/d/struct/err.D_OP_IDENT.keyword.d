struct s { int a; };
struct s g;
BEGIN { trace(g.if); exit(0); }
