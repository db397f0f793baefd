/* SPDX-License-Identifier: MIT */
#include "vm/base/host/near.h"
#include "vm/base/host/clock.h"

#include <string.h>

/* Longer names are not compared: the time grows with the square of the length. */
#define NAME_MAX_COMPARED 256
#define LOOKS		  64 /* names between two looks at the clock */

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/*
 * The number of insertions, deletions, replacements and swaps of neighbours that turn a
 * into b (Damerau-Levenshtein, restricted). Any result above limit means: more than
 * limit.
 */
static size_t edit_distance(const char *a, size_t na, const char *b, size_t nb,
			    size_t limit)
{
	size_t rows[3][NAME_MAX_COMPARED + 1];
	size_t *before = rows[0], *last = rows[1], *row = rows[2];

	for (size_t j = 0; j <= nb; j++)
		last[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *oldest = before, best = row[0] = i;

		for (size_t j = 1; j <= nb; j++) {
			size_t d = last[j - 1] + (a[i - 1] != b[j - 1]);

			row[j] = min3(d, last[j] + 1, row[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
			best = row[j] < best ? row[j] : best;
		}
		if (best > limit + 1) /* a swap in the next row may reduce it by one */
			return limit + 1;
		before = last;
		last = row;
		row = oldest;
	}
	return last[nb];
}

static void begin(struct near *n, const char *name, size_t limit, size_t max)
{
	*n = (struct near){.name = name, .len = strlen(name), .max = max};
	n->limit = limit < n->len ? limit : n->len;
	n->deadline = clock_now_ns() + NEAR_MS * UINT64_C(1000000);
	if (n->max > NEAR_MAX)
		n->max = NEAR_MAX;
}

void near_begin(struct near *n, const char *name, size_t max)
{
	begin(n, name, 1 + strlen(name) / 3, max);
}

void near_begin_strict(struct near *n, const char *name, size_t max)
{
	begin(n, name, strlen(name) / 4, max);
}

static bool is_searching(struct near *n)
{
	if (n->noffered++ % LOOKS == LOOKS - 1)
		n->is_late |= clock_now_ns() > n->deadline;
	return !n->is_late && n->max && n->limit && n->len <= NAME_MAX_COMPARED;
}

void near_offer_as(struct near *n, const char *stem, size_t len, const char *candidate)
{
	size_t gap = len > n->len ? len - n->len : n->len - len;
	size_t d, at;

	if (!is_searching(n) || len > NAME_MAX_COMPARED || gap > n->limit)
		return;
	d = edit_distance(n->name, n->len, stem, len, n->limit);
	if (d > n->limit || (n->n == n->max && d >= n->distance[n->n - 1]))
		return;
	for (size_t i = 0; i < n->n; i++) {
		if (strcmp(n->found[i], candidate) == 0)
			return;
	}
	at = n->n < n->max ? n->n++ : n->n - 1;
	for (; at > 0 && n->distance[at - 1] > d; at--) {
		n->found[at] = n->found[at - 1];
		n->distance[at] = n->distance[at - 1];
	}
	n->found[at] = candidate;
	n->distance[at] = d;
}

void near_offer(struct near *n, const char *candidate)
{
	near_offer_as(n, candidate, strnlen(candidate, NAME_MAX_COMPARED + 1),
		      candidate);
}
