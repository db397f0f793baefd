BEGIN { trace(~"a"); exit(0); }
