struct s { struct { int b; } a; };
BEGIN { trace(offsetof(struct s, a.b)); exit(0); }
