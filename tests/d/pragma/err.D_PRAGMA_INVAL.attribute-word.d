#pragma D attributes Stable/Stable/Stable x
inline int x = 3;
BEGIN { exit(0); }
