/* SPDX-License-Identifier: MIT */
/* The library of typed.c: variables and functions of another object. */
#include "typed.h"

struct hidden {
	int secret;
	struct point at;
};

struct library_state {
	int calls;
	const char *name;
};

static struct hidden hidden = {4711, {8, 9}};
int library_shared = 40;
struct hidden *library_hidden = &hidden;
struct library_state library_state = {0, "the library"};
static volatile int library_private = 13;

__attribute__((noinline)) int library_call(struct point *p, int n)
{
	library_state.calls += n;
	library_shared++;
	return p->x + library_private;
}
