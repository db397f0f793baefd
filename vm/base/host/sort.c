/* SPDX-License-Identifier: MIT */
#include "vm/base/host/sort.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>
#include <string.h>

static uint64_t key_of(const char *data, size_t i, size_t size)
{
	uint64_t key;

	memcpy(&key, data + i * size, sizeof(key));
	return key;
}

/* Where the run that begins with element i ends. */
static size_t run_end(const char *data, size_t i, size_t n, size_t size)
{
	uint64_t last, next;

	if (i >= n)
		return n;
	for (last = key_of(data, i++, size); i < n; last = next, i++) {
		next = key_of(data, i, size);
		if (next < last)
			break;
	}
	return i;
}

struct merge {
	const char *from;
	char *to;
	size_t size;
};

/* Elements [i, middle) and [middle, end) become one run in the same place of `to`. */
static void merge(const struct merge *m, size_t i, size_t middle, size_t end)
{
	char *to = m->to + i * m->size;
	size_t k = middle, size = m->size;

	while (i < middle && k < end) {
		bool is_first = key_of(m->from, i, size) <= key_of(m->from, k, size);

		memcpy(to, m->from + (is_first ? i++ : k++) * size, size);
		to += size;
	}
	memcpy(to, m->from + i * size, (middle - i) * size);
	to += (middle - i) * size;
	memcpy(to, m->from + k * size, (end - k) * size);
}

/* Each two runs in a row become one: returns where the first of all ends. */
static size_t turn(const struct merge *m, size_t n)
{
	size_t first = 0;

	for (size_t i = 0, end; i < n; i = end) {
		size_t middle = run_end(m->from, i, n, m->size);

		end = run_end(m->from, middle, n, m->size);
		merge(m, i, middle, end);
		if (!i)
			first = end;
	}
	return first;
}

void sort_runs(void *data, size_t n, size_t size)
{
	struct merge m = {data, NULL, size};
	char *other;

	if (run_end(data, 0, n, size) == n)
		return;
	other = oom_realloc(NULL, n * size);
	m.to = other;
	while (turn(&m, n) < n) {
		m.from = m.to;
		m.to = m.from == data ? other : data;
	}
	if (m.to != data)
		memcpy(data, m.to, n * size);
	free(other);
}

#define DIGITS 8 /* bytes of a key */
#define VALUES 256

static uint8_t digit_of(const struct sort_key *k, unsigned digit)
{
	return (uint8_t)(k->key >> 8 * digit);
}

/* Where the keys with each value of a digit begin, of those that have so many. */
static void to_places(size_t counts[VALUES])
{
	size_t at = 0;

	for (unsigned i = 0; i < VALUES; i++) {
		size_t n = counts[i];

		counts[i] = at;
		at += n;
	}
}

/* By one digit after the other, the lowest first. */
void sort_keys(struct sort_key *keys, size_t n)
{
	struct sort_key *from = keys,
			*other = oom_realloc(NULL, (n + 1) * sizeof(*keys));
	size_t counts[DIGITS][VALUES] = {{0}};

	for (size_t i = 0; i < n; i++)
		for (unsigned d = 0; d < DIGITS; d++)
			counts[d][digit_of(&keys[i], d)]++;
	for (unsigned d = 0; d < DIGITS; d++) {
		struct sort_key *to = from == keys ? other : keys;

		if (!n || counts[d][digit_of(keys, d)] == n) /* all have the same */
			continue;
		to_places(counts[d]);
		for (size_t i = 0; i < n; i++)
			to[counts[d][digit_of(&from[i], d)]++] = from[i];
		from = to;
	}
	if (from != keys)
		memcpy(keys, from, n * sizeof(*keys));
	free(other);
}
