struct s { int a };
BEGIN { exit(0); }
