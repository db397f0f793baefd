BEGIN { trace(089); exit(0); }
