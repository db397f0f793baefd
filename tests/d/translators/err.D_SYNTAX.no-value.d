struct s { int a; };
translator struct s < int N > { a; };
BEGIN { exit(0); }
