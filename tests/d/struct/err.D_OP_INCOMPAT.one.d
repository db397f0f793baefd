struct s { int x; };
struct s el[int];
BEGIN { el[1] = 1; exit(0); }
