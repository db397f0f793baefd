int v[int][4];
BEGIN { p = &v[1][2]; exit(0); }
