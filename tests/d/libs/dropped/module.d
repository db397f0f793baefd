#pragma D depends_on module nosuch.so
inline int KEPT = 1;
this is no D at all
