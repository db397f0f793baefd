/* struct and pointer inlines, evaluated on demand */
int n;
struct out { int value; int calls; };
translator struct out < int N > { value = N + 1; calls = n++; };
inline struct out whole = xlate <struct out> (41);
inline struct out *leads[int x] = xlate <struct out *> (x * 2);
BEGIN {
	printf("%d %d\n", whole.value, leads[4]->value);
	printf("%d\n", n);
	printf("%d %d %d\n", whole.calls, leads[1]->calls, n);
	exit(0);
}
