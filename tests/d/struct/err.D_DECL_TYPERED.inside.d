struct s { struct s { int b; } a; };
BEGIN { exit(0); }
