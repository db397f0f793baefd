BEGIN { trace(sizeof (nosuch)); exit(0); }
