struct s { int a; };
translator struct s < int N > { a = N; };
BEGIN { x = xlate <struct s *> (1); exit(0); }
