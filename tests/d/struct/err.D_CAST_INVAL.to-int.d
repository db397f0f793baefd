struct s { int a; };
struct s s;
BEGIN { trace((int)s); exit(0); }
