struct s { int a; };
translator struct s < int N > { a = N; a = N; };
BEGIN { exit(0); }
