/* an inline of a pointer type */
inline char *nowhere = NULL;
inline uint64_t *cast = (uint64_t *)arg0;
BEGIN { printf("%d %d\n", nowhere == NULL, cast == NULL); exit(0); }
