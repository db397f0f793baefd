BEGIN { clear(@nosuch); exit(0); }
