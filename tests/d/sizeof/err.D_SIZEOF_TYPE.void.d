BEGIN { trace(sizeof (void)); exit(0); }
