struct s { struct { int a; }; };
BEGIN { exit(0); }
