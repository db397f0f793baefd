/* SPDX-License-Identifier: MIT */
/* "Did you mean": names with the smallest edit distance to an unknown one. */
#include "symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/internal.h"
#include "vm/base/host/oom.h"

/* Longer names are not compared: the time grows with the square of the length. */
#define NAME_MAX_COMPARED 256

struct nearest {
	const char *name;
	size_t len, limit;
	const char **out;
	size_t *distance; /* of out[] */
	size_t n, max;
};

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

/*
 * Inserts name into out[] if its first len bytes are near enough. out[] is sorted by
 * distance; of equal names the first one offered is first.
 */
static void offer_stem(struct nearest *n, const char *name, size_t len)
{
	size_t d, at;
	size_t gap = len > n->len ? len - n->len : n->len - len;

	if (len > NAME_MAX_COMPARED || gap > n->limit)
		return;
	d = edit_distance(n->name, n->len, name, len, n->limit);
	if (d > n->limit || (n->n == n->max && d >= n->distance[n->n - 1]))
		return;
	for (size_t i = 0; i < n->n; i++) {
		if (strcmp(n->out[i], name) == 0)
			return;
	}
	at = n->n < n->max ? n->n++ : n->n - 1;
	for (; at > 0 && n->distance[at - 1] > d; at--) {
		n->out[at] = n->out[at - 1];
		n->distance[at] = n->distance[at - 1];
	}
	n->out[at] = name;
	n->distance[at] = d;
}

static void offer(struct nearest *n, const char *name)
{
	offer_stem(n, name, strnlen(name, NAME_MAX_COMPARED + 1));
}

static bool begin(struct nearest *n, const char *name, const char **out, size_t max)
{
	memset(n, 0, sizeof(*n));
	n->name = name;
	n->len = strlen(name);
	/* up to one error in three letters; more is another word */
	n->limit = 1 + n->len / 3;
	if (n->limit > n->len)
		n->limit = n->len;
	n->out = out;
	n->max = max;
	n->distance = oom_calloc(max + 1, sizeof(*n->distance));
	return max && n->len && n->len <= NAME_MAX_COMPARED;
}

static size_t end(struct nearest *n)
{
	free(n->distance);
	return n->n;
}

size_t module_nearest(const struct module *m, const char *name, const char **out,
		      size_t max)
{
	struct nearest n;

	if (!begin(&n, name, out, max))
		return end(&n);
	for (size_t i = 0; i < m->nsymbols; i++) {
		const struct symbol *s = &m->symbols[i];
		const char *readable = symbol_demangled_bare(m, s);

		if (!s->is_unnamed)
			offer(&n, readable ? readable : s->name);
	}
	return end(&n);
}

size_t modules_nearest(const struct modules *ms, const char *field, const char **out,
		       size_t max)
{
	struct nearest n;

	if (!begin(&n, field, out, max))
		return end(&n);
	for (size_t i = 0; i < ms->len; i++) {
		const char *name = ms->data[i]->name;

		offer_stem(&n, name, strcspn(name, ".")); /* libc of libc.so.6 */
		offer(&n, name);
	}
	return end(&n);
}
