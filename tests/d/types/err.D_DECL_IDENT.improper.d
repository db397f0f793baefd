BEGIN { trace(sizeof (struct a`b`c`s)); exit(0); }
