struct s { int a; };
struct t { int a; };
translator struct s < int N > { a = N; };
inline struct t *x = xlate <struct s *> (1);
BEGIN { exit(0); }
