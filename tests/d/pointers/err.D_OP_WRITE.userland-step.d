struct s { int a[3]; };
BEGIN { ((userland struct s *)8)->a[1]++; exit(0); }
