BEGIN { x = curpsinfo; exit(0); }
