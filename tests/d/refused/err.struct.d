/* refused by name until it is written */
struct s { int a; };
BEGIN { exit(0); }
