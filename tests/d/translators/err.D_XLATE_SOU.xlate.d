BEGIN { trace(xlate <int> (1)); exit(0); }
