struct s { int a; };
struct s s;
BEGIN { trace(s + 1); exit(0); }
