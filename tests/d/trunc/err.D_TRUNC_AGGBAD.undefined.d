BEGIN { trunc(@nosuch, 1); exit(0); }
