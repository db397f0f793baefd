/* SPDX-License-Identifier: MIT */
/*
 * Passes structs of every kind by address, for scripts that read them.
 */
#include "../truth.h"

enum color { RED, GREEN = 7 };

struct leaf {
	short v[3];
	char tag;
};

struct record {
	int n;
	char name[8];
	const char *text;
	struct record *next;
	struct leaf leaves[2];
	unsigned low : 5;
	int high : 11;
	enum color color;
	double ratio;
	float part;
	const char *words[2];
	union {
		long all;
		unsigned char byte[8];
	} u;
};

KEEP int visit(const struct record *r)
{
	return r->n;
}

int main(void)
{
	struct record second = {.n = 22, .name = "fullname", .text = "second text"};
	struct record first = {
		.n = -11,
		.name = "one",
		.text = "first text",
		.next = &second,
		.leaves = {{{1, 2, 3}, 'a'}, {{4, -5, 6}, 'b'}},
		.low = 21,
		.high = -300,
		.color = GREEN,
		.ratio = 2.5,
		.part = -0.125F,
		.words = {"zero", "one"},
		.u.all = 0x0807060504030201,
	};

	visit(&first);
	return 0;
}
