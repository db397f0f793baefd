#pragma D depends_on provider dtrace
inline int KEPT = 3;
