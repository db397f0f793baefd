int v[int];
BEGIN { p = &v[1]; exit(0); }
