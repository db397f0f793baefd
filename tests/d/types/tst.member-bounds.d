/* a constant index of a member is one of the whole struct */
struct s { int n; int a[3]; int m; };
struct s g;
BEGIN { g.n = 7; g.m = 8; printf("%d %d\n", g.a[-1], g.a[3]); }
BEGIN { trace(g.a[4]); }
BEGIN { p = &g.a[0]; printf("%d\n", ((struct s *)(p - 1))->a[3]); exit(0); }
ERROR { printf("fault %d\n", arg4); }
