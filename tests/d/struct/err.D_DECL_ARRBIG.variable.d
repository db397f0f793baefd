struct s { char a[2000000]; };
struct s g;
BEGIN { exit(0); }
