BEGIN { printa(); exit(0); }
