#define X 1

inline int Y = unknown;
