/* SPDX-License-Identifier: MIT */
/*
 * Open addressing with linear probing; a table is at most two thirds full
 * and a power of two long. Removal shifts later entries back, so there are
 * no tombstones.
 */
#include "vm/base/host/map.h"
#include "vm/base/hash.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>
#include <string.h>

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
	size_t i = hash_bytes(key, strlen(key), 0) & (m->cap - 1);

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
