/*
 * The usual type names of the C library. They are no words: variables, members and types
 * of the program may have these names.
 */
uint a; ulong b; ushort c; u_char e; u_short f; u_int g; u_long h; bool i; boolean_t j;
time_t k; off_t l; dev_t m; mode_t n; caddr_t o; __u8 p; __u16 q; __u32 r; __u64 s;
__s8 t; __s16 u; __s32 v; __s64 w; u8 x; u16 y; u32 z;
self u64 wide;
struct timespec now;
timespec_t *at;
typedef short s8;
typedef struct mine { s8 off_t; bool u8; } mode_t;

BEGIN
{
	printf("%d %d %d %d %d %d %d %d %d\n", sizeof (a), sizeof (b), sizeof (c),
	    sizeof (e), sizeof (f), sizeof (g), sizeof (h), sizeof (i), sizeof (j));
	printf("%d %d %d %d %d\n", sizeof (time_t), sizeof (off_t), sizeof (dev_t),
	    sizeof (n), sizeof (caddr_t));
	printf("%d %d %d %d %d %d %d %d %d %d %d\n", sizeof (p), sizeof (q),
	    sizeof (r), sizeof (s), sizeof (t), sizeof (u), sizeof (v), sizeof (w),
	    sizeof (u8), sizeof (u16), sizeof (u32));
	printf("%d %d %d\n", (u8)-1, (__s8)255, (__s16)65535);
	now.tv_sec = 7;
	now.tv_nsec = 8;
	printf("%d %d %d\n", now.tv_sec, now.tv_nsec, sizeof (*at));
	printf("%d %d\n", sizeof (self->wide), sizeof (mode_t));
	printf("%d %d %d %d\n", B_TRUE, B_FALSE, PR_MODEL_ILP32, PR_MODEL_LP64);
	printf("%d\n", curpsinfo->pr_dmodel == PR_MODEL_LP64);
	printf("%d %d\n", curpsinfo->pr_nzomb, curpsinfo->pr_contract);
	u64 = 9;
	printf("%d\n", u64);
	exit(0);
}
