struct s { int a; };
struct t { int a; };
struct s g;
struct t g;
BEGIN { exit(0); }
