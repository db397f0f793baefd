/* SPDX-License-Identifier: MIT */
/*
 * A hash table from a 64-bit key, or from a string, to a pointer or number; and an index
 * over an array.
 */
#ifndef VM_BASE_HOST_MAP_H
#define VM_BASE_HOST_MAP_H

#include "vm/base/base.h"

struct map_entry;

/* A zeroed struct map is empty and ready. */
struct map {
	struct map_entry *entries;
	size_t len, cap;
};

void map_release(struct map *m);
/* Sets the value of key, replacing an earlier one. */
void map_set(struct map *m, uint64_t key, uint64_t value);
/* True and *value (if value is not NULL) when key is there. */
bool map_get(const struct map *m, uint64_t key, uint64_t *value);
void map_remove(struct map *m, uint64_t key);
/* The value at a place from 0 to cap - 1; false: there is none. */
bool map_at(const struct map *m, size_t place, uint64_t *value);

/* String keys: the map keeps its own copy of the key. Same table type, not mixed. */
struct strmap_entry;
struct strmap {
	struct strmap_entry *entries;
	size_t len, cap;
};
void strmap_release(struct strmap *m);
void strmap_set(struct strmap *m, const char *key, uint64_t value);
bool strmap_get(const struct strmap *m, const char *key, uint64_t *value);

/*
 * A hash index over the elements of an array that only grows: from a hash to the numbers
 * of the elements that have it. It takes 12 bytes an element; keys stay in the array.
 *
 *	for (i = index_first(&x, hash); i; i = index_next(&x, i))
 *		if (array[i - 1] is the one)
 */
struct index_entry {
	uint32_t hash;
	uint32_t next; /* 1 + the number of the next in its chain; 0: the last */
};

/* A zeroed struct index is empty and ready. */
struct index {
	struct {
		struct index_entry *data; /* of element i */
		size_t len, cap;
	} entries;
	uint32_t *heads; /* chains: 1 + number; a power of two */
	size_t nheads;
};

void index_release(struct index *x);
/* Adds the element of the next number, from 0 on: at most UINT32_MAX - 1 of them. */
void index_add(struct index *x, uint64_t hash);
/*
 * 1 + the number of an element that may have the hash, the last added first; 0: there is
 * none.
 */
uint32_t index_first(const struct index *x, uint64_t hash);
/* The next one after that of index_first() or index_next(). */
uint32_t index_next(const struct index *x, uint32_t i);

#endif
