#pragma D depends_on library b.d
#pragma D depends_on library c.d
inline int FIRST = BASE + OTHER;
