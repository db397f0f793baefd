/* SPDX-License-Identifier: MIT */
/*
 * Order, names and parts of the functions of one module.
 *
 * A compiler may move the unlikely part of foo to another place, with a symbol
 * foo.cold. Such symbols become parts of their function. If several static functions
 * are called foo, the STT_FILE group of both symbols decides; without names the jumps
 * between them do (cold_parts.h).
 */
#include "symbols/symtab.h"
#include "symbols/cold_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/base/fmt.h"
#include "vm/base/hash.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/sort.h"
#include "vm/base/host/vec.h"

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_ends(const void *a, const void *b)
{
	const struct fde *x = a, *y = b;

	return compare_u64(y->code.hi, x->code.hi);
}

/* By address; of those at one address the longest comes first. */
static void sort_ranges(struct fdes *ranges)
{
	struct fde *data = ranges->data;

	sort_runs(data, ranges->len, sizeof(*data));
	for (size_t i = 0, end; i < ranges->len; i = end) {
		for (end = i + 1;
		     end < ranges->len && data[end].code.lo == data[i].code.lo; end++)
			;
		if (end - i > 1)
			qsort(data + i, end - i, sizeof(*data), compare_ends);
	}
}

static void add_range(struct candidates *c, const struct fde *r, struct arena *names)
{
	struct candidate *x = vec_push(c);
	char name[4 + FMT_MAX] = "sub_";
	size_t n = 4 + fmt_u64(name + 4, r->code.lo, 16);

	*x = (struct candidate){.is_local = true};
	x->symbol.name = arena_strndup(names, name, n);
	x->symbol.value = r->code.lo;
	x->symbol.size = r->code.hi - r->code.lo;
	x->symbol.rank = CANDIDATE_RANK_UNNAMED;
	x->symbol.is_unnamed = true;
	x->symbol.is_fragment = r->is_fragment;
}

/* The highest end of the closed ones at the address of number first; *end: after them. */
static uint64_t closed_end(const struct candidates *c, size_t first, size_t *end)
{
	const uint64_t value = c->data[first].symbol.value;
	uint64_t highest = 0;
	size_t i = first;

	for (; i < c->len && c->data[i].symbol.value == value; i++)
		if (!c->data[i].is_open)
			highest = max_u64(highest, value + c->data[i].symbol.size);
	*end = i;
	return highest;
}

/*
 * Functions whose symbols have no size end where the range of .eh_frame that begins there
 * does, where a function there or around them does, or where the next begins. Both lists
 * are sorted.
 */
static void close_candidates(struct candidates *c, const struct fdes *ranges)
{
	uint64_t covered = 0; /* the highest end of closed ones so far */
	size_t range = 0, end;

	for (size_t first = 0; first < c->len; first = end) {
		const uint64_t value = c->data[first].symbol.value;
		uint64_t last = UINT64_MAX;

		covered = max_u64(covered, closed_end(c, first, &end));
		if (covered > value)
			last = covered;
		if (end < c->len)
			last = min_u64(last, c->data[end].symbol.value);
		while (range < ranges->len && ranges->data[range].code.lo < value)
			range++;
		if (range < ranges->len)
			last = min_u64(last, ranges->data[range].code.lo == value
						     ? ranges->data[range].code.hi
						     : ranges->data[range].code.lo);
		for (size_t i = first; i < end; i++)
			if (c->data[i].is_open)
				c->data[i].symbol.size =
					min_u64(c->data[i].symbol.size, last - value);
	}
}

/* Walks both lists in address order. A range ends where the next one begins. */
size_t symtab_add_ranges(struct candidates *c, struct fdes *ranges,
			 const struct elf_file *f, const struct code_areas *areas,
			 struct arena *names)
{
	uint64_t covered = 0; /* the highest end of the candidates so far */
	size_t named, next = 0;

	candidates_sort(c);
	named = c->len;
	sort_ranges(ranges);
	close_candidates(c, ranges);
	for (size_t i = 0; i < ranges->len; i++) {
		struct fde r = ranges->data[i];

		for (; next < named && c->data[next].symbol.value <= r.code.lo; next++)
			covered = max_u64(covered, c->data[next].symbol.value +
							   c->data[next].symbol.size);
		if (covered > r.code.lo ||
		    !code_areas_hold(areas, r.code.lo, r.code.hi - r.code.lo) ||
		    (i && ranges->data[i - 1].code.lo == r.code.lo))
			continue;
		if (next < named)
			r.code.hi = min_u64(r.code.hi, c->data[next].symbol.value);
		if (i + 1 < ranges->len && ranges->data[i + 1].code.lo > r.code.lo)
			r.code.hi = min_u64(r.code.hi, ranges->data[i + 1].code.lo);
		if (!candidates_have_room(c, f))
			break;
		add_range(c, &r, names);
	}
	return c->len - named;
}

/* Where the last occurrence of word in name begins, and *after it; or NULL. */
static const char *find_last(const char *name, const char *word, const char **after)
{
	const char *found = NULL, *p = name;

	while ((p = strstr(p, word)) != NULL)
		found = p++;
	*after = found ? found + strlen(word) : NULL;
	return found;
}

/*
 * The length of name in "name.cold", "name.cold.N" or "name.__part.N", which LLVM gives
 * to the blocks of a function in sections of their own; else 0.
 */
static size_t cold_owner_length(const char *name)
{
	const char *p, *found;

	if (!strchr(name, '.')) /* most names */
		return 0;
	found = find_last(name, ".cold", &p);
	if (found && *p == '.' && isdigit((unsigned char)p[1]))
		p += 1 + strspn(p + 1, "0123456789");
	if (found && !*p)
		return (size_t)(found - name);
	found = find_last(name, ".__part.", &p);
	if (!found || !isdigit((unsigned char)*p) || p[strspn(p, "0123456789")])
		return 0;
	return (size_t)(found - name);
}

/* The length of name in "name.part.N"; else 0. */
static size_t part_owner_length(const char *name, size_t n)
{
	const size_t word = strlen(".part.");
	size_t digits = n;

	while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
		digits--;
	if (digits == n || digits <= word ||
	    memcmp(name + digits - word, ".part.", word) != 0)
		return 0;
	return digits - word;
}

struct name_key {
	uint32_t hash;
	const char *name;
	size_t n;
};

static struct name_key key_of(const char *name, size_t n)
{
	return (struct name_key){(uint32_t)hash_bytes(name, n, 0), name, n};
}

static int compare_key(const struct name_key *key, uint32_t hash, const char *name)
{
	int d = compare_u64(key->hash, hash);

	if (!d)
		d = strncmp(key->name, name, key->n);
	return d ? d : -(name[key->n] != '\0');
}

/* Of two names with one hash. ctx: the symbols. */
static int compare_names(const void *a, const void *b, void *ctx)
{
	const struct symbol *symbols = ctx;
	const struct name_entry *x = a, *y = b;
	const struct symbol *p = &symbols[x->symbol], *q = &symbols[y->symbol];
	int d = strcmp(p->name, q->name);

	if (!d)
		d = (int)p->rank - (int)q->rank;
	return d ? d : compare_u64(x->symbol, y->symbol);
}

/* By hash; then those of one hash by name, rank and address. */
static void sort_names(struct name_entry *names, size_t n, struct symbol *symbols)
{
	struct sort_key *keys = oom_realloc(NULL, (n + 1) * sizeof(*keys));

	for (size_t i = 0; i < n; i++)
		keys[i] = (struct sort_key){names[i].hash, names[i].symbol};
	sort_keys(keys, n);
	for (size_t i = 0; i < n; i++)
		names[i] =
			(struct name_entry){(uint32_t)keys[i].key, (uint32_t)keys[i].i};
	free(keys);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && names[end].hash == names[i].hash; end++)
			;
		if (end - i > 1)
			qsort_r(names + i, end - i, sizeof(*names), compare_names,
				symbols);
	}
}

/* Sets m->symbols and the index of names from the sorted candidates. */
static void index_names(struct module *m, const struct candidates *c)
{
	struct module_internal *in = m->internal;

	m->symbols = oom_realloc(m->symbols, (c->len + 1) * sizeof(*m->symbols));
	m->nsymbols = c->len;
	in->by_name = oom_realloc(in->by_name, (c->len + 1) * sizeof(*in->by_name));
	for (size_t i = 0; i < c->len; i++) {
		const struct symbol *s = &c->data[i].symbol;

		m->symbols[i] = *s;
		in->by_name[i] = (struct name_entry){
			(uint32_t)hash_bytes(s->name, strlen(s->name), 0), (uint32_t)i};
	}
	sort_names(in->by_name, c->len, m->symbols);
}

/* The first entry that is not before the key or, if `after`, that is after it. */
static size_t search_names(const struct module *m, const struct name_key *key,
			   bool after)
{
	size_t lo = 0, hi = m->nsymbols;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct name_entry *x = &m->internal->by_name[mid];
		int d = compare_key(key, x->hash, m->symbols[x->symbol].name);

		if (d > 0 || (after && d == 0))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct name_entry *find_key(const struct module *m,
					 const struct name_key *key, size_t *count)
{
	size_t first = search_names(m, key, false);

	*count = search_names(m, key, true) - first;
	return *count ? &m->internal->by_name[first] : NULL;
}

const struct name_entry *symtab_find(const struct module *m, const char *name,
				     size_t *count)
{
	struct name_key key = key_of(name, strlen(name));

	*count = 0;
	return m->nsymbols ? find_key(m, &key, count) : NULL;
}

/* How certain it is that the part belongs to the function, from 0 (no) to 4. */
static int owner_fitness(const struct candidate *part, const struct candidate *owner,
			 size_t nowners)
{
	if (part->is_local && owner->is_local && part->file == owner->file)
		return 4;
	if (!owner->is_local)
		return 3;
	if (owner->file == 0)
		return 2;
	return nowners == 1;
}

static const struct candidate *find_owner(const struct module *m,
					  const struct candidates *c,
					  const struct candidate *part)
{
	size_t n = cold_owner_length(part->symbol.name), count = 0;
	const struct candidate *best = NULL;
	const struct name_entry *entry = NULL;
	int fitness = 0;

	for (; n && !entry; n = part_owner_length(part->symbol.name, n)) {
		struct name_key key = key_of(part->symbol.name, n);

		entry = find_key(m, &key, &count);
	}
	for (size_t i = 0; i < count && fitness < 4; i++) {
		const struct candidate *owner = &c->data[entry[i].symbol];
		int fit = owner_fitness(part, owner, count);

		if (fit > fitness) {
			fitness = fit;
			best = owner;
		}
	}
	return best;
}

/* Moves the .cold symbols to another list. */
static void split_cold(struct candidates *c, struct candidates *cold)
{
	size_t n = 0;

	for (size_t i = 0; i < c->len; i++) {
		if (cold_owner_length(c->data[i].symbol.name))
			*vec_push(cold) = c->data[i];
		else
			c->data[n++] = c->data[i];
	}
	c->len = n;
}

/* Makes each cold symbol a part of its function or, if that is unknown, a fragment. */
static bool resolve_cold(struct module *m, struct candidates *c,
			 const struct candidates *cold, struct pending_parts *parts)
{
	size_t nowners = c->len;

	for (size_t i = 0; i < cold->len; i++) {
		struct candidate part = cold->data[i];
		const struct candidate *owner = find_owner(m, c, &part);

		if (owner) {
			*vec_push(parts) = (struct pending_part){
				owner->symbol.value, owner->symbol.size,
				part.symbol.value, part.symbol.size};
		} else {
			part.symbol.is_fragment = true;
			*vec_push(c) = part;
		}
	}
	if (c->len == nowners)
		return false;
	candidates_sort(c);
	return true;
}

static int compare_owners(const struct pending_part *x, const struct pending_part *y)
{
	int d = compare_u64(x->owner, y->owner);

	return d ? d : compare_u64(x->owner_size, y->owner_size);
}

static int compare_pending(const void *a, const void *b)
{
	const struct pending_part *x = a, *y = b;
	int d = compare_owners(x, y);

	if (!d)
		d = compare_u64(x->value, y->value);
	return d ? d : compare_u64(x->size, y->size);
}

static void sort_pending(struct pending_parts *parts)
{
	size_t n = 0;

	if (!parts->len)
		return;
	qsort(parts->data, parts->len, sizeof(*parts->data), compare_pending);
	for (size_t i = 1; i < parts->len; i++) {
		if (compare_pending(&parts->data[n], &parts->data[i]) != 0)
			parts->data[++n] = parts->data[i];
	}
	parts->len = n + 1;
}

static int compare_parts(const void *a, const void *b)
{
	const struct part_entry *x = a, *y = b;
	int d = compare_u64(x->value, y->value);

	return d ? d : compare_u64(x->symbol, y->symbol);
}

/* The first part that is not before the owner of key or, if `after`, after it. */
static size_t search_pending(const struct pending_parts *parts,
			     const struct pending_part *key, bool after)
{
	size_t lo = 0, hi = parts->len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int d = compare_owners(key, &parts->data[mid]);

		if (d > 0 || (after && d == 0))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Sets the parts of each alias of a function; the parts get its first alias. */
static void assign_parts(struct module *m, const struct pending_parts *parts,
			 struct part_entry *entries)
{
	size_t next = 0; /* the first part whose owner is not below the symbol */

	for (size_t i = 0; i < parts->len; i++)
		entries[i].symbol = UINT32_MAX;
	for (size_t i = 0; i < m->nsymbols; i++) {
		struct symbol *s = &m->symbols[i];
		struct pending_part key = {.owner = s->value, .owner_size = s->size};
		size_t first, end;

		while (next < parts->len && parts->data[next].owner < s->value)
			next++;
		if (next == parts->len || parts->data[next].owner > s->value)
			continue;
		first = search_pending(parts, &key, false);
		end = search_pending(parts, &key, true);
		s->first_part = (uint32_t)first;
		s->nparts = (uint32_t)(end - first);
		if (first < end && entries[first].symbol != UINT32_MAX)
			continue;
		for (; first < end; first++)
			entries[first].symbol = (uint32_t)i;
	}
}

static void index_parts(struct module *m, const struct pending_parts *parts)
{
	struct part_entry *entries = oom_calloc(parts->len + 1, sizeof(*entries));

	m->parts = oom_calloc(parts->len + 1, sizeof(*m->parts));
	m->nparts = parts->len;
	if (parts->len)
		assign_parts(m, parts, entries);
	for (size_t i = 0; i < parts->len; i++) {
		m->parts[i].value = entries[i].value = parts->data[i].value;
		m->parts[i].size = entries[i].size = parts->data[i].size;
	}
	qsort(entries, parts->len, sizeof(*entries), compare_parts);
	m->internal->by_part = entries;
}

static void index_reach(struct module *m)
{
	uint64_t reach = 0;

	m->internal->reach = oom_calloc(m->nsymbols + 1, sizeof(*m->internal->reach));
	for (size_t i = 0; i < m->nsymbols; i++) {
		reach = max_u64(reach, m->symbols[i].value + m->symbols[i].size);
		m->internal->reach[i] = reach;
	}
}

void symtab_build(struct module *m, struct candidates *c, const struct elf_file *f,
		  const struct code_areas *areas)
{
	struct pending_parts parts = {0};
	struct candidates cold = {0};
	bool is_changed;

	split_cold(c, &cold);
	candidates_sort(c);
	if (cold.len) /* their functions are found by name */
		index_names(m, c);
	is_changed = resolve_cold(m, c, &cold, &parts);
	is_changed |= fragments_join(c, f, areas, &parts);
	if (is_changed || !cold.len)
		index_names(m, c);
	sort_pending(&parts);
	index_parts(m, &parts);
	index_reach(m);
	vec_release(&parts);
	vec_release(&cold);
}

void symtab_release(struct module *m)
{
	free(m->symbols);
	free(m->parts);
	free(m->internal->by_name);
	free(m->internal->by_part);
	free(m->internal->reach);
	m->symbols = NULL;
	m->parts = NULL;
	m->internal->by_name = NULL;
	m->internal->by_part = NULL;
	m->internal->reach = NULL;
	m->nsymbols = m->nparts = 0;
}
