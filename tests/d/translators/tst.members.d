/* members of a translated struct and of a translated pointer */
struct in { int a; int b; };
typedef struct out {
	int sum;
	string name;
	char text[16];
	struct in inner;
	long none;
} out_t;
struct in g;
translator out_t < struct in I > {
	sum = I.a + I.b;
	name = "named";
	text = probename;
	inner = I;
};
translator out_t < int N > { sum = N * 2; name = N ? "one" : "none"; };
BEGIN {
	g.a = 3;
	g.b = 4;
	printf("%d %s %s %d\n", xlate <out_t> (g).sum, xlate <out_t> (g).name,
	    xlate <struct out> (g).text, xlate <out_t> (g).inner.b);
	printf("%d %s\n", xlate <out_t *> (5)->sum, xlate <struct out *> (0)->name);
	printf("%d\n", (*xlate <out_t *> (6)).sum);
	exit(0);
}
