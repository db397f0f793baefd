/* arguments are converted to the type of the parameter */
inline int wide[int8_t c] = c;
BEGIN { x = 0x1ff; printf("%d %d\n", wide[x], wide[0x80]); exit(0); }
