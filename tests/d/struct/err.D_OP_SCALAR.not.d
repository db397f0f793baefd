struct s { int a; };
struct s s;
BEGIN { trace(!s); exit(0); }
