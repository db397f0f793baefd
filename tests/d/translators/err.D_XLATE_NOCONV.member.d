struct s { int a; int b; };
translator struct s < int N > { a = N; };
BEGIN { trace(xlate <struct s> (1).b); exit(0); }
