struct s { int a; };
struct s s;
BEGIN { trace(stringof (s)); exit(0); }
