#pragma D binding "one" x
inline int x = 3;
BEGIN { exit(0); }
