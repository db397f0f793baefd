#pragma D depends_on module libc.so.6
inline int HAS_LIBC = 1;
