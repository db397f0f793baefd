string s;
BEGIN { p = &s; exit(0); }
