/* refused by name until it is written */
inline int x = 5;
BEGIN { exit(0); }
