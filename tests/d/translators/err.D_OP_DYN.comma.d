struct s { int a; };
translator struct s < int N > { a = N; };
BEGIN { trace((xlate <struct s *> (1), 2)); exit(0); }
