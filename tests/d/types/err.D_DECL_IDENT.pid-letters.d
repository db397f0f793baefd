BEGIN { trace(sizeof (struct pid8foo`s)); exit(0); }
