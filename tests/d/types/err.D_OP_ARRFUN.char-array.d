struct s { char n[4]; };
struct s g;
BEGIN { g.n = "abc"; exit(0); }
