struct s { int a; };
translator struct s < int > { a = 1; };
BEGIN { exit(0); }
