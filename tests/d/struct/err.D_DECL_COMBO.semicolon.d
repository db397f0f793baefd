struct s { int a; }
int x;
BEGIN { exit(0); }
