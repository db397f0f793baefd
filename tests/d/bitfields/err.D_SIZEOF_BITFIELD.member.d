struct s { int a : 3; };
struct s g;
BEGIN { trace(sizeof (g.a)); exit(0); }
