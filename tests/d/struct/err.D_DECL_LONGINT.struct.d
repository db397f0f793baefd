long struct s { int a; } g;
BEGIN { exit(0); }
