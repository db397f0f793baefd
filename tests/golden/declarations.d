int g, *p, **q;
self string s;
this uint64_t t;
string arr[int, string, char *];
typedef unsigned long long counter_t, *counterp_t;
counter_t total;
self counterp_t where[pid_t];
int m[3][4], *n[5], (*o)[6];
extern int fn(int, const char *restrict, ...);
int (*fp)(void), *(*fpp[2])(userland char *a);
long unsigned int lui;
int*touching;
BEGIN { total = (counter_t)g + sizeof (counterp_t); }
D`int32_t scoped;
