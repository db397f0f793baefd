struct s { int a; };
translator struct s < int N > { a = N; };
BEGIN { trace(xlate <struct s> ("text").a); exit(0); }
