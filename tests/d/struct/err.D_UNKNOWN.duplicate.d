struct s { int a; char a; };
BEGIN { exit(0); }
