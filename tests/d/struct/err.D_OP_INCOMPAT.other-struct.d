struct s { int a; };
struct t { int a; };
struct s s;
struct t t;
BEGIN { s = t; exit(0); }
