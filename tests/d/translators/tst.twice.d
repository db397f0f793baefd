/* the last conversion of a member counts */
struct out { int a; int b; };
translator struct out < int n > {
	a = n;
	b = n;
	a = n + 1;
};
struct out whole;

BEGIN
{
	printf("%d %d\n", (xlate <struct out> (5)).a, (xlate <struct out> (5)).b);
	whole = xlate <struct out> (7);
	printf("%d %d\n", whole.a, whole.b);
	exit(0);
}
