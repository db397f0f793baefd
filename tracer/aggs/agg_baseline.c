/* SPDX-License-Identifier: MIT */
#include "tracer/aggs/agg_baseline.h"
#include "vm/base/hash.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

struct agg_baseline_mark {
	uint64_t hash, sequence, time;
	uint32_t slot, agg, words;
	uint32_t next; /* of the chain: number + 1, 0 none */
	bool is_truncated, is_dead;
	bool is_adding; /* truncated, but its owner had already added to it */
	size_t key_size, key, value; /* offsets */
};

bool agg_baseline_can(const struct program_agg *a)
{
	return a->func != AGG_min && a->func != AGG_max;
}

void agg_baseline_release(struct agg_baseline *b)
{
	vec_release(&b->marks);
	strbuf_release(&b->bytes);
	map_release(&b->first);
}

static uint64_t hash_of(const struct agg_baseline *b, uint32_t slot, uint32_t agg,
			const void *key, size_t n)
{
	return hash_bytes(key, n, b->salt + ((uint64_t)slot << 32 | agg));
}

static struct agg_baseline_mark *find(const struct agg_baseline *b, uint32_t slot,
				      uint32_t agg, const void *key, size_t n)
{
	uint64_t number = 0;

	map_get(&b->first, hash_of(b, slot, agg, key, n), &number);
	while (number) {
		struct agg_baseline_mark *m = &b->marks.data[number - 1];

		if (!m->is_dead && m->slot == slot && m->agg == agg &&
		    m->key_size == n && memcmp(b->bytes.data + m->key, key, n) == 0)
			return m;
		number = m->next;
	}
	return NULL;
}

static size_t keep(struct agg_baseline *b, const void *p, size_t n)
{
	size_t at = b->bytes.len;

	strbuf_add(&b->bytes, p, n);
	strbuf_pad(&b->bytes, '\0', align_up(n, 8) - n);
	return at;
}

static struct agg_baseline_mark *add(struct agg_baseline *b,
				     const struct agg_baseline_taken *t)
{
	uint64_t hash = hash_of(b, t->slot, t->agg, t->key, t->key_size), first = 0;
	struct agg_baseline_mark *m;

	map_get(&b->first, hash, &first);
	m = vec_push(&b->marks);
	*m = (struct agg_baseline_mark){.hash = hash,
					.slot = t->slot,
					.agg = t->agg,
					.words = t->words,
					.next = (uint32_t)first,
					.key_size = t->key_size};
	m->key = keep(b, t->key, t->key_size);
	m->value = keep(b, t->value, t->words * sizeof(*t->value));
	map_set(&b->first, hash, b->marks.len);
	return m;
}

void agg_baseline_put(struct agg_baseline *b, const struct agg_baseline_taken *t)
{
	struct agg_baseline_mark *m = find(b, t->slot, t->agg, t->key, t->key_size);

	if (m)
		memcpy(b->bytes.data + m->value, t->value,
		       t->words * sizeof(*t->value));
	else
		m = add(b, t);
	m->sequence = t->sequence;
	m->time = t->time;
	m->is_truncated = t->is_truncated;
	m->is_adding = false;
}

const uint64_t *agg_baseline_find(struct agg_baseline *b, uint32_t slot,
				  const struct agg_entry_view *e, bool *is_untouched)
{
	struct agg_baseline_mark *m = find(b, slot, e->agg, e->key, e->key_size);

	*is_untouched = false;
	if (!m)
		return NULL;
	if (m->is_truncated && e->removed != m->sequence) {
		m->is_dead =
			true; /* the owner saw the truncation and started at zero */
		return NULL;
	}
	*is_untouched = e->sequence == m->sequence;
	m->is_adding = m->is_truncated && !*is_untouched;
	return (const uint64_t *)(const void *)(b->bytes.data + m->value);
}

void agg_baseline_subtract(const struct program_agg *a, uint64_t *value,
			   const uint64_t *base)
{
	uint64_t borrow = a->func == AGG_stddev && value[2] < base[2];

	for (uint32_t i = 0; i < a->words; i++)
		value[i] -= base[i];
	if (borrow) /* of the 128-bit sum of squares */
		value[3]--;
}

static struct agg_baseline_taken taken_of(const struct agg_baseline *b,
					  const struct agg_baseline_mark *m)
{
	return (struct agg_baseline_taken){
		.slot = m->slot,
		.agg = m->agg,
		.words = m->words,
		.is_truncated = m->is_truncated,
		.sequence = m->sequence,
		.time = m->time,
		.key = b->bytes.data + m->key,
		.key_size = m->key_size,
		.value = (const uint64_t *)(const void *)(b->bytes.data + m->value),
	};
}

/* Builds the tables again without dead marks, if these are more than half. */
static void compact(struct agg_baseline *b)
{
	struct agg_baseline old = *b;
	size_t dead = 0;

	for (size_t i = 0; i < b->marks.len; i++)
		dead += b->marks.data[i].is_dead;
	if (dead <= b->marks.len / 2)
		return;
	*b = (struct agg_baseline){.salt = old.salt};
	for (size_t i = 0; i < old.marks.len; i++) {
		struct agg_baseline_taken t = taken_of(&old, &old.marks.data[i]);

		if (!old.marks.data[i].is_dead)
			agg_baseline_put(b, &t);
	}
	agg_baseline_release(&old);
}

void agg_baseline_purge(struct agg_baseline *b, uint64_t before)
{
	for (size_t i = 0; i < b->marks.len; i++) {
		struct agg_baseline_mark *m = &b->marks.data[i];

		m->is_dead |= m->is_truncated && !m->is_adding && m->time < before;
	}
	compact(b);
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left > right) - (left < right);
}

void agg_baseline_forget(struct agg_baseline *b, const uint32_t *numbers, size_t n)
{
	for (size_t i = 0; i < b->marks.len; i++) {
		struct agg_baseline_mark *m = &b->marks.data[i];

		m->is_dead |= bsearch(&m->slot, numbers, n, sizeof(*numbers),
				      compare_numbers) != NULL;
	}
	compact(b);
}
