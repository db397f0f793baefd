struct s { int a; } struct t { int b; };
BEGIN { exit(0); }
