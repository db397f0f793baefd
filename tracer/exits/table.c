/* SPDX-License-Identifier: MIT */
/* As bytes: the number of parts, the parts, and the exits of all. */
#include "tracer/exits/table.h"
#include "vm/base/hash.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

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

uint64_t exits_sum(const struct scan_request *req)
{
	return hash_bytes(req->bytes, req->n, 0);
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

const struct exits_part *exits_table_get(const struct exits_table *t,
					 const struct exits_part *wanted)
{
	const struct exits_part *found = NULL;

	if (t->parts.len)
		found = bsearch(wanted, t->parts.data, t->parts.len,
				sizeof(*t->parts.data), compare_parts);
	if (!found || found->first > t->exits.len ||
	    found->n > t->exits.len - found->first)
		return NULL;
	return found;
}

void exits_table_write(const struct exits_table *t, struct strbuf *out)
{
	uint64_t n = t->parts.len;

	strbuf_add(out, &n, sizeof(n));
	strbuf_add(out, t->parts.data, t->parts.len * sizeof(*t->parts.data));
	strbuf_add(out, t->exits.data, t->exits.len * sizeof(*t->exits.data));
}

/* A vector of n elements of size bytes, which are at p. */
static void *copy_of(const char *p, size_t n, size_t size)
{
	void *data = oom_calloc(n + 1, size);

	if (n)
		memcpy(data, p, n * size);
	return data;
}

bool exits_table_read(struct exits_table *t, const struct strbuf *in)
{
	const size_t part = sizeof(*t->parts.data), exit = sizeof(*t->exits.data);
	size_t left = in->len - min_u64(in->len, sizeof(uint64_t));
	uint64_t n;

	if (in->len < sizeof(n))
		return false;
	memcpy(&n, in->data, sizeof(n));
	if (n > left / part || (left - n * part) % exit || left > UINT32_MAX)
		return false;
	t->parts.len = t->parts.cap = n;
	t->parts.data = copy_of(in->data + sizeof(n), n, part);
	t->exits.len = t->exits.cap = (left - n * part) / exit;
	t->exits.data = copy_of(in->data + sizeof(n) + n * part, t->exits.len, exit);
	exits_table_sort(t);
	return true;
}
