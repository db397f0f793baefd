/* constants, expressions and strings; each use is checked where it is */
inline int ten = 10;
inline string hello = "hello";
inline int more = ten * ten + 1;
inline uint64_t big = 0xffffffffffffffff;
BEGIN { printf("%d %s %d %x\n", ten, hello, more, big); exit(0); }
