struct s *p;
BEGIN { trace(p->a); exit(0); }
