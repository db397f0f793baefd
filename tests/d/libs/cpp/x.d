#ifdef VALUE
inline int FROM_CPP = VALUE + 1;
#endif
