struct s { int a; };
translator struct s < int N > { a = N; };
translator struct s < int M > { a = 1; };
BEGIN { exit(0); }
