int g;
inline char x = g;
BEGIN { x = 11; exit(0); }
