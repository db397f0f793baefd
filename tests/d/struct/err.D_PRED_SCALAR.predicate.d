struct s { int a; };
struct s s;
BEGIN / s / { exit(0); }
