int v[4];
BEGIN { p = &v[5]; exit(0); }
