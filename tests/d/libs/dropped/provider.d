#pragma D depends_on provider nosuch
inline int KEPT = 2;
