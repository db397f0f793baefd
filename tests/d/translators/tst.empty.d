/* an empty body is allowed */
struct s { int a; };
translator struct s < int N > { };
struct s v;
BEGIN { v.a = 5; v = xlate <struct s> (1); printf("%d\n", v.a); exit(0); }
