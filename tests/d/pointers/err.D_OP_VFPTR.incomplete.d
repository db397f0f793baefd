struct s *p;
BEGIN { p--; exit(0); }
