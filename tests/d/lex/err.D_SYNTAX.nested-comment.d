BEGIN { /* a /* b */ exit(0); }
