struct s { int a; };
translator struct s < int N > { a = "text"; };
BEGIN { exit(0); }
