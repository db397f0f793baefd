struct s { int a; };
translator struct s < int N > { a = N; };
BEGIN { @[xlate <struct s *> (1)] = count(); exit(0); }
