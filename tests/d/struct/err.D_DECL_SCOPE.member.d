struct s { int m`a; };
BEGIN { exit(0); }
