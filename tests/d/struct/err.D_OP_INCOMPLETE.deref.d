struct s *p;
BEGIN { x = *p; exit(0); }
