BEGIN { trace(sizeof (struct s)); exit(0); }
