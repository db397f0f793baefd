/* a use has the declared type */
inline uint8_t low = 0x1ff;
inline int8_t minus = 255;
inline uint8_t low2[int x] = x;
BEGIN {
	n = 0x3fe;
	printf("%d %d %d %d\n", low, minus, low2[n], sizeof (low));
	exit(0);
}
