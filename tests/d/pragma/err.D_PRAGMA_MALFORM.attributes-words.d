#pragma D attributes Stable/Stable/Common x y
inline int x = 3;
BEGIN { exit(0); }
