struct s { int a; };
struct s s, t;
BEGIN { trace(s == t); exit(0); }
