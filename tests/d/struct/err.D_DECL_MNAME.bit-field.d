struct s { int : 3; };
BEGIN { exit(0); }
