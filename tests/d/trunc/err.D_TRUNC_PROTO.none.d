BEGIN { trunc(); exit(0); }
