struct s { int a; };
translator struct s < int N > { b = N; };
BEGIN { exit(0); }
