BEGIN { trace(5(1)); exit(0); }
