
inline int X = unknown;
