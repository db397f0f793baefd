/* what is wrong with a use is shown at the use */
inline int64_t add[int64_t a, int64_t b] = a + b;
BEGIN {
	trace(add[1, unknown]);
	exit(0);
}
