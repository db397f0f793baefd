/* a whole translated struct is a value of that type */
/* members that are not listed are zero */
struct in { int a; int b; };
typedef struct out {
	int sum;
	string name;
	char text[8];
	struct in inner;
	long none;
	int bits : 5;
} out_t;
translator struct in < int N > { a = N; b = N + 1; };
translator out_t < struct in I > {
	sum = I.a + I.b;
	name = "a name";
	text = "exactly8";
	inner = I;
	bits = -3;
};
out_t o;
self out_t s;
BEGIN {
	o = xlate <out_t> (xlate <struct in> (10));
	self->s = o;
	this->i = xlate <struct in> (20);
	e["key"] = xlate <struct in> (30);
	printf("%d %s %s %d %d %d\n", o.sum, o.name, stringof (o.text), o.inner.b, o.none, o.bits);
	printf("%d %s %d %d\n", self->s.sum, self->s.name, this->i.b, e["key"].a);
	exit(0);
}
