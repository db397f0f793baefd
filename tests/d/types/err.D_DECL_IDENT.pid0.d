BEGIN { trace(sizeof (struct pid0`s)); exit(0); }
