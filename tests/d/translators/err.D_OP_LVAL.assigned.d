struct s { int a; };
translator struct s < int N > { a = N; };
BEGIN { xlate <struct s *> (1)->a = 2; exit(0); }
