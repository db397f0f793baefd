/* a member that is a translation itself */
struct a { int x; };
struct b { struct a inner; struct a *pointer; };
translator struct a < int N > { x = N * 3; };
translator struct b < int N > { inner = xlate <struct a> (N); pointer = xlate <struct a *> (N + 1); };
inline struct b *it = xlate <struct b *> (5);
BEGIN { printf("%d %d\n", it->inner.x, it->pointer->x); exit(0); }
