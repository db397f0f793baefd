/* inlines, translators and providers: what is copied to their uses */
struct in { int a; int b; };
struct out { int sum; string name; };
inline int ten = 10;
inline int64_t scaled[int64_t x, uint8_t by] = x * by + ten;
translator struct out < struct in I > { sum = I.a + I.b; name = "n"; };
translator struct out < int N > { sum = N; };
provider p { probe go(int n, string s) : (string s, int n); };
inline struct out *of[int n] = xlate <struct out *> (n + 1);
struct in g;
BEGIN
{
	trace(ten);
	trace(scaled[g.a, ten]);
	trace(xlate <struct out> (g).sum);
	trace(of[3]->sum);
	this->o = xlate <struct out> (7);
}
