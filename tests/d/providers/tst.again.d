/* the same declaration may occur twice, also in two programs */
/* run: -x empty -n 'provider p { probe x(int, string); };' */
provider p { probe x(int a, string s); };
provider p { probe x(int, string); };
BEGIN { printf("ok\n"); exit(0); }
