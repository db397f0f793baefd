/* parameters are replaced by the arguments */
inline int64_t add[int64_t a, int64_t b] = a + b;
inline int64_t twice[int64_t a] = add[a, a];
inline string pick[int i] = i == 0 ? "zero" : i == 1 ? "one" : "many";
inline int is[string s, string t] = s == t;
BEGIN {
	x = 5;
	printf("%d %d %d\n", add[1, 2], twice[add[x, 1]], add[x * 2, -x]);
	printf("%s %s %s\n", pick[0], pick[x - 4], pick[x]);
	printf("%d %d\n", is["a", "a"], is["a", "b"]);
	exit(0);
}
