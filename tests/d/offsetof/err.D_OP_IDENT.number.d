struct s { int a; };
BEGIN { trace(offsetof(struct s, 1)); exit(0); }
