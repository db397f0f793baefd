BEGIN { timestamp++; exit(0); }
