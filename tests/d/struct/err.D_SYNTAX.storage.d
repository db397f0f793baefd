struct s { self int a; };
BEGIN { exit(0); }
