/* SPDX-License-Identifier: MIT */
/* As bytes: the number of parts, the parts, and the exits of all. */
#include "tracer/exits/table.h"
#include "vm/base/hash.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

#define LANES 4
#define PRIME UINT64_C(0x100000001b3) /* of FNV-1a */

void exits_table_release(struct exits_table *t)
{
	vec_release(&t->parts);
	vec_release(&t->exits);
}

struct exits_part exits_part_of(const struct scan_request *req, uint64_t bias)
{
	uint64_t shape = req->n;

	for (size_t i = 0; i < req->nranges; i++) {
		shape = hash_u64(shape + (req->ranges[i].lo.v - bias));
		shape = hash_u64(shape + (req->ranges[i].hi.v - bias));
	}
	return (struct exits_part){.at = req->ranges[0].lo.v - bias, .shape = shape};
}

/* Several sums, each of every LANES-th word: a processor makes them at once. */
uint64_t exits_sum(const struct scan_request *req)
{
	const uint8_t *p = req->bytes;
	size_t n = req->n;
	uint64_t sums[LANES] = {0};

	for (; n >= sizeof(sums); n -= sizeof(sums), p += sizeof(sums)) {
		uint64_t words[LANES];

		memcpy(words, p, sizeof(words));
		for (size_t i = 0; i < LANES; i++) {
			sums[i] = (sums[i] ^ words[i]) * PRIME;
			sums[i] ^= sums[i] >> 32; /* the highest bit counts as well */
		}
	}
	return hash_bytes(sums, sizeof(sums), hash_bytes(p, n, 0));
}

void exits_table_add(struct exits_table *t, struct exits_part part)
{
	part.first = (uint32_t)(t->exits.len - part.n);
	*vec_push(&t->parts) = part;
}

void exits_table_join(struct exits_table *t, const struct exits_table *more)
{
	size_t before = t->exits.len;

	for (size_t i = 0; i < more->exits.len; i++)
		*vec_push(&t->exits) = more->exits.data[i];
	for (size_t i = 0; i < more->parts.len; i++) {
		struct exits_part *part = vec_push(&t->parts);

		*part = more->parts.data[i];
		part->first += (uint32_t)before;
	}
}

static int compare_parts(const void *a, const void *b)
{
	const struct exits_part *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->shape > y->shape) - (x->shape < y->shape);
}

void exits_table_sort(struct exits_table *t)
{
	for (size_t i = 1; i < t->parts.len; i++)
		if (compare_parts(&t->parts.data[i - 1], &t->parts.data[i]) > 0) {
			qsort(t->parts.data, t->parts.len, sizeof(*t->parts.data),
			      compare_parts);
			return;
		}
}

/* Whether all of its exits are in the table. */
static bool is_whole(const struct exits_table *t, const struct exits_part *part)
{
	return part->first <= t->exits.len && part->n <= t->exits.len - part->first;
}

const struct exits_part *exits_table_get(const struct exits_table *t,
					 const struct exits_part *wanted)
{
	const struct exits_part *found = NULL;

	if (t->parts.len)
		found = bsearch(wanted, t->parts.data, t->parts.len,
				sizeof(*t->parts.data), compare_parts);
	return found && is_whole(t, found) ? found : NULL;
}

const struct exits_part *exits_table_get_next(struct exits_table *t,
					      const struct exits_part *wanted)
{
	const struct exits_part *found;

	for (size_t i = 0; i < ARRAY_LEN(t->next); i++) {
		if (t->next[i] >= t->parts.len ||
		    compare_parts(&t->parts.data[t->next[i]], wanted) != 0)
			continue;
		found = &t->parts.data[t->next[i]++];
		return is_whole(t, found) ? found : NULL;
	}
	found = exits_table_get(t, wanted);
	t->next[1] = t->next[0];
	t->next[0] = found ? (size_t)(found - t->parts.data) + 1 : 0;
	return found;
}

void exits_table_write(const struct exits_table *t, struct strbuf *out)
{
	uint64_t n = t->parts.len;

	strbuf_add(out, &n, sizeof(n));
	strbuf_add(out, t->parts.data, t->parts.len * sizeof(*t->parts.data));
	strbuf_add(out, t->exits.data, t->exits.len * sizeof(*t->exits.data));
}

/* The parts stay in the memory of the bytes: there may be many. */
static void take_parts(struct exits_table *t, struct strbuf *in, size_t n)
{
	memmove(in->data, in->data + sizeof(uint64_t), n * sizeof(*t->parts.data));
	t->parts.data = (void *)in->data;
	t->parts.len = n;
	t->parts.cap = in->cap / sizeof(*t->parts.data);
	*in = (struct strbuf){0};
}

static void copy_exits(struct exits_table *t, const char *from, size_t n)
{
	t->exits.data = oom_calloc(n + 1, sizeof(*t->exits.data));
	t->exits.len = t->exits.cap = n;
	if (n)
		memcpy(t->exits.data, from, n * sizeof(*t->exits.data));
}

bool exits_table_read(struct exits_table *t, struct strbuf *in)
{
	const size_t part = sizeof(*t->parts.data), exit = sizeof(*t->exits.data);
	size_t left = 0;
	uint64_t n = 0;

	if (in->len >= sizeof(n)) {
		memcpy(&n, in->data, sizeof(n));
		left = in->len - sizeof(n);
	}
	if (!left || n > left / part || (left - n * part) % exit || left > UINT32_MAX) {
		strbuf_release(in);
		return false;
	}
	copy_exits(t, in->data + sizeof(n) + n * part, (left - n * part) / exit);
	take_parts(t, in, n);
	exits_table_sort(t);
	return true;
}
