BEGIN { printa("x"); exit(0); }
