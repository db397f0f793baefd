BEGIN { trace(sizeof (struct nosuch`s)); exit(0); }
