#pragma D depends_on library c.d
inline int BASE = OTHER * 10;
inline string SECOND = "second";
