struct s { char a[2000000000]; char b[2000000000]; };
BEGIN { exit(0); }
