/* SPDX-License-Identifier: MIT */
/*
 * Open addressing with linear probing; a table is at most two thirds full
 * and a power of two long. Removal shifts later entries back, so there are
 * no tombstones.
 */
#include "vm/base/host/map.h"
#include "vm/base/hash.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/secret.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

#define HEADS_MIN 16 /* of an index */

struct map_entry {
	uint64_t key, value;
	bool used;
};

struct strmap_entry {
	char *key; /* NULL: free */
	uint64_t value;
};

void map_release(struct map *m)
{
	free(m->entries);
	*m = (struct map){0};
}

/* Index of key's entry, or of the free one where it belongs. */
static size_t map_slot(const struct map *m, uint64_t key)
{
	size_t i = hash_u64(key) & (m->cap - 1);

	while (m->entries[i].used && m->entries[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return i;
}

static void map_grow(struct map *m)
{
	struct map old = *m;

	m->cap = old.cap ? old.cap * 2 : 16;
	m->entries = oom_calloc(m->cap, sizeof(*m->entries));
	for (size_t i = 0; i < old.cap; i++)
		if (old.entries[i].used)
			m->entries[map_slot(m, old.entries[i].key)] = old.entries[i];
	free(old.entries);
}

void map_set(struct map *m, uint64_t key, uint64_t value)
{
	size_t i;

	if (m->len * 3 >= m->cap * 2)
		map_grow(m);
	i = map_slot(m, key);
	m->len += !m->entries[i].used;
	m->entries[i] = (struct map_entry){key, value, true};
}

bool map_at(const struct map *m, size_t place, uint64_t *value)
{
	if (place >= m->cap || !m->entries[place].used)
		return false;
	*value = m->entries[place].value;
	return true;
}

bool map_get(const struct map *m, uint64_t key, uint64_t *value)
{
	size_t i;

	if (!m->len)
		return false;
	i = map_slot(m, key);
	if (!m->entries[i].used)
		return false;
	if (value)
		*value = m->entries[i].value;
	return true;
}

void map_remove(struct map *m, uint64_t key)
{
	size_t i, j;

	if (!map_get(m, key, NULL))
		return;
	i = map_slot(m, key);
	m->entries[i].used = false;
	m->len--;
	for (j = (i + 1) & (m->cap - 1); m->entries[j].used;
	     j = (j + 1) & (m->cap - 1)) {
		struct map_entry moved = m->entries[j];

		m->entries[j].used = false;
		m->entries[map_slot(m, moved.key)] = moved;
	}
}

void strmap_release(struct strmap *m)
{
	for (size_t i = 0; i < m->cap; i++)
		free(m->entries[i].key);
	free(m->entries);
	*m = (struct strmap){0};
}

static size_t strmap_slot(const struct strmap *m, const char *key)
{
	size_t i = hash_bytes(key, strlen(key), secret_number()) & (m->cap - 1);

	while (m->entries[i].key && strcmp(m->entries[i].key, key) != 0)
		i = (i + 1) & (m->cap - 1);
	return i;
}

static void strmap_grow(struct strmap *m)
{
	struct strmap old = *m;

	m->cap = old.cap ? old.cap * 2 : 16;
	m->entries = oom_calloc(m->cap, sizeof(*m->entries));
	for (size_t i = 0; i < old.cap; i++)
		if (old.entries[i].key)
			m->entries[strmap_slot(m, old.entries[i].key)] = old.entries[i];
	free(old.entries);
}

void strmap_set(struct strmap *m, const char *key, uint64_t value)
{
	size_t i, n = strlen(key) + 1;

	if (m->len * 3 >= m->cap * 2)
		strmap_grow(m);
	i = strmap_slot(m, key);
	if (!m->entries[i].key) {
		m->entries[i].key = memcpy(oom_realloc(NULL, n), key, n);
		m->len++;
	}
	m->entries[i].value = value;
}

bool strmap_get(const struct strmap *m, const char *key, uint64_t *value)
{
	size_t i;

	if (!m->len)
		return false;
	i = strmap_slot(m, key);
	if (!m->entries[i].key)
		return false;
	if (value)
		*value = m->entries[i].value;
	return true;
}

void index_release(struct index *x)
{
	vec_release(&x->entries);
	free(x->heads);
	*x = (struct index){0};
}

static void link_entry(struct index *x, size_t i)
{
	struct index_entry *e = &x->entries.data[i];
	uint32_t *head = &x->heads[e->hash & (x->nheads - 1)];

	e->next = *head;
	*head = (uint32_t)i + 1;
}

/* Twice as many chains: in the order of the elements, so the last added stay first. */
static void index_grow(struct index *x)
{
	free(x->heads);
	x->nheads = x->nheads ? x->nheads * 2 : HEADS_MIN;
	x->heads = oom_calloc(x->nheads, sizeof(*x->heads));
	for (size_t i = 0; i < x->entries.len; i++)
		link_entry(x, i);
}

void index_add(struct index *x, uint64_t hash)
{
	if (x->entries.len >= x->nheads)
		index_grow(x);
	*vec_push(&x->entries) = (struct index_entry){.hash = (uint32_t)hash};
	link_entry(x, x->entries.len - 1);
}

static uint32_t index_find(const struct index *x, uint32_t i, uint32_t hash)
{
	while (i && x->entries.data[i - 1].hash != hash)
		i = x->entries.data[i - 1].next;
	return i;
}

uint32_t index_first(const struct index *x, uint64_t hash)
{
	if (!x->nheads)
		return 0;
	return index_find(x, x->heads[hash & (x->nheads - 1)], (uint32_t)hash);
}

uint32_t index_next(const struct index *x, uint32_t i)
{
	const struct index_entry *e = &x->entries.data[i - 1];

	return index_find(x, e->next, e->hash);
}
