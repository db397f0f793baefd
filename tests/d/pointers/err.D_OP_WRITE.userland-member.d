struct s { int a; };
BEGIN { ((userland struct s *)8)->a = 1; exit(0); }
