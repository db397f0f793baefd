/* SPDX-License-Identifier: MIT */
/*
 * A hash table from a 64-bit key, or from a string, to a pointer or number.
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

#endif
