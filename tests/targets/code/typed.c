/* SPDX-License-Identifier: MIT */
/*
 * Rich types: the parameters, results and variables that args[] and
 * module`symbol describe. Everything has a fixed value; typed_lib.c is its library.
 */
#include "../truth.h"
#include "typed.h"

enum color { RED, GREEN = 5, BLUE = -2 };

enum wide { NARROW = 1, WIDE = 0x100000000 };

union number {
	int i;
	unsigned char byte[4];
	float f;
};

struct flags {
	unsigned int a : 3;
	int b : 5;
	unsigned int c : 10;
	unsigned long d : 33;
};

struct __attribute__((packed)) tight {
	char tag;
	int value;
	unsigned int low : 12, high : 12;
};

struct item {
	const char *name;
	enum color color;
	struct point at;
	struct item *next;
	int matrix[2][3];
	union number number;
	struct flags flags;
	struct {
		int inner;
		union {
			short half;
			int whole;
		};
	};
	int (*callback)(int);
	_Bool is_set;
	char text[16];
	struct hidden *hidden;
	int tail[];
};

typedef struct item item_t;
typedef struct {
	int x;
} unnamed_t;
typedef int (*callback_t)(int);

struct big {
	long v[4];
};

static int twice(int v)
{
	return v * 2;
}

int counter = 7;
static volatile unsigned char small = 200;
long table[4] = {10, 20, 30, 40};
const char *greeting = "hello from the target";
char buffer[32] = "in an array";
struct point origin = {3, -4};
struct point points[3] = {{1, 2}, {3, 4}, {5, 6}};
enum color favourite = GREEN;
enum wide width = WIDE;
_Thread_local int per_thread = 5;
double ratio = 0.5;
struct tight tight = {'t', -70000, 0xabc, 0x123};
unnamed_t unnamed = {77};
callback_t callback = twice;
volatile unsigned long long busy = 1;
static const int constant = 12;
struct point *where = &points[1];
struct flags flags = {5, -3, 1000, 0x123456789};

static struct item second = {.name = "second", .color = BLUE};
struct item first = {.name = "first",
		     .color = GREEN,
		     .at = {11, 22},
		     .next = &second,
		     .matrix = {{1, 2, 3}, {4, 5, 6}},
		     .number = {.i = 0x01020304},
		     .flags = {5, -3, 1000, 0x123456789},
		     .inner = 99,
		     .whole = 0x10002,
		     .callback = twice,
		     .is_set = 1,
		     .text = "short text"};

KEEP int take_item(const item_t *item, enum color color, int n)
{
	busy += (unsigned)n;
	return item->at.x + (int)color + n;
}

KEEP struct point *move_point(struct point *p, int dx, signed char dy)
{
	p->x += dx;
	p->y += dy;
	return p;
}

KEEP unsigned char narrow(unsigned char a, short b, _Bool c, unsigned int d)
{
	busy += a + (unsigned)b + c + d;
	return (unsigned char)(a + 1);
}

/* The integers after a floating-point value and a struct keep their registers. */
KEEP double mixed(double f, int a, struct point p, long b, float g, char *text)
{
	busy += (unsigned)a + (unsigned long)b + (unsigned)p.x + (unsigned char)*text;
	return f + (double)g;
}

KEEP long many(int a, int b, int c, int d, int e, int f, short g, long h, int i, int j,
	       int k)
{
	return a + b + c + d + e + f + g + h + i + j + k;
}

/* Returned through a hidden first parameter. */
KEEP struct big make_big(int a, const char *name)
{
	struct big b = {{a, a + 1, a + 2, (long)*name}};

	return b;
}

KEEP long take_big(struct big b, int after)
{
	return b.v[0] + after;
}

KEEP void nothing(void)
{
	busy += (unsigned)constant;
}

KEEP int array_and_callback(int v[4], char **names, int (*f)(int), void *opaque)
{
	busy += opaque != NULL;
	return f(v[1]) + (int)(unsigned char)names[1][0];
}

KEEP int variadic(const char *format, ...)
{
	busy += (unsigned char)*format;
	return 1;
}

KEEP long long wide(enum wide w, unsigned long long u, union number *number)
{
	return (long long)w + (long long)u + number->i;
}

KEEP void finish(void)
{
	busy--;
}

int main(void)
{
	char *names[] = {"zero", "one", NULL};
	int v[4] = {1, 2, 3, 4};
	union number number = {.i = 7};
	struct point p = {100, 200};
	struct big b;

	busy += (unsigned)take_item(&first, BLUE, -5);
	busy += (unsigned)move_point(&p, 1, -2)->x;
	busy += narrow(255, -1, 1, 4000000000U);
	busy += (unsigned long)mixed(1.5, 42, p, -43, 2.5F, "tail");
	busy += (unsigned long)many(1, 2, 3, 4, 5, 6, -7, 8, 9, 10, 11);
	b = make_big(3, "name");
	busy += (unsigned long)take_big(b, 12);
	nothing();
	busy += (unsigned)array_and_callback(v, names, twice, NULL);
	busy += (unsigned)variadic("%d", 3);
	busy += (unsigned long)wide(WIDE, 12345678901234ULL, &number);
	busy += (unsigned)library_call(&p, 6) + small + (unsigned)per_thread;
	library_shared++;
	finish();
	printf("done %d\n", counter);
	return 0;
}
