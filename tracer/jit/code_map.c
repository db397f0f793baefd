/* SPDX-License-Identifier: MIT */
#include "tracer/jit/code_map.h"
#include "tracer/base/text.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

/* Of functions that overlap, so many are looked at for one address. */
#define OVERLAPS_MAX 4096

void code_map_release(struct code_map *m)
{
	vec_release(&m->functions);
	free(m->reach);
	map_release(&m->name_of);
	arena_release(&m->names);
	strbuf_release(&m->clean);
	*m = (struct code_map){0};
}

/* A copy of the name in which no byte can do harm; NULL: there is no room for it. */
static const char *clean_name(struct code_map *m, const char *name, size_t n)
{
	strbuf_reset(&m->clean);
	text_add_clean(&m->clean, name, n < CODE_NAME_MAX ? n : CODE_NAME_MAX);
	if (m->clean.len > CODE_MAP_NAMES_MAX - m->names_size)
		return NULL;
	m->names_size += m->clean.len + 1;
	return arena_strndup(&m->names, m->clean.data, m->clean.len);
}

static void add(struct code_map *m, uint64_t start, uint64_t size, const char *name)
{
	*vec_push(&m->functions) =
		(struct code_function){start, size, name, ++m->serial};
	map_set(&m->name_of, start, (uint64_t)(uintptr_t)name);
}

void code_map_add(struct code_map *m, uint64_t start, uint64_t size, const char *name,
		  size_t n)
{
	const char *copy;

	while (n && (name[n - 1] == ' ' || name[n - 1] == '\r'))
		n--;
	if (!n || !size || start + size < start)
		return;
	copy = m->functions.len < CODE_MAP_FUNCTIONS_MAX ? clean_name(m, name, n)
							 : NULL;
	if (!copy) {
		m->is_full = true;
		return;
	}
	add(m, start, size, copy);
}

/* By address; of those that begin at one address the newest is the first. */
static int compare(const void *a, const void *b)
{
	const struct code_function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->serial < y->serial) - (x->serial > y->serial);
}

void code_map_settle(struct code_map *m)
{
	struct code_function *f = m->functions.data;
	size_t n = 0;
	uint64_t reach = 0;

	if (m->nsorted == m->functions.len)
		return;
	qsort(f, m->functions.len, sizeof(*f), compare);
	for (size_t i = 0; i < m->functions.len; i++)
		if (!n || f[n - 1].start != f[i].start)
			f[n++] = f[i];
	m->functions.len = m->nsorted = n;
	m->reach = oom_realloc(m->reach, n * sizeof(*m->reach));
	for (size_t i = 0; i < n; i++) {
		if (f[i].start + f[i].size > reach)
			reach = f[i].start + f[i].size;
		m->reach[i] = reach;
	}
}

/* How many functions begin at or below the address. */
static size_t count_until(const struct code_map *m, uint64_t address)
{
	size_t lo = 0, hi = m->functions.len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->functions.data[mid].start <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct code_function *code_map_at(struct code_map *m, uint64_t address)
{
	const struct code_function *found = NULL;
	size_t i;

	code_map_settle(m);
	i = count_until(m, address);
	for (size_t left = OVERLAPS_MAX; i-- > 0 && m->reach[i] > address && left > 0;
	     left--) {
		const struct code_function *f = &m->functions.data[i];

		if (address - f->start < f->size &&
		    (!found || f->serial > found->serial))
			found = f;
	}
	return found;
}

bool code_map_is_replaced(struct code_map *m, const struct code_function *f)
{
	const struct code_function *now = code_map_at(m, f->start);

	return !now || now->serial > f->serial;
}

void code_map_move(struct code_map *m, uint64_t start, uint64_t to, uint64_t size)
{
	uint64_t name;

	if (!size || to + size < to || !map_get(&m->name_of, start, &name))
		return;
	if (m->functions.len < CODE_MAP_FUNCTIONS_MAX)
		add(m, to, size, (const char *)(uintptr_t)name);
	else
		m->is_full = true;
}
