/* an output argument that a translator makes */
struct out { int a; };
translator struct out < int N > { a = N; };
provider p { probe x(int n) : (struct out n, struct out *n, int n); };
BEGIN { printf("ok\n"); exit(0); }
