int v[3];
BEGIN { p = &v[1]; exit(0); }
