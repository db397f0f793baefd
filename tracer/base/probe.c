/* SPDX-License-Identifier: MIT */
#include "tracer/base/probe.h"
#include "vm/base/hash.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/secret.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

#define CHAINS_MIN 64

void probes_init(struct probes *ps)
{
	*ps = (struct probes){0};
	strbuf_putc(&ps->names, '\0'); /* offset 0 is the empty string */
}

void probes_drop_indexes(struct probes *ps)
{
	vec_release(&ps->offsets);
	index_release(&ps->strings);
	free(ps->by_name.heads);
	ps->by_name.heads = NULL;
	ps->by_name.n = 0;
}

void probes_release(struct probes *ps)
{
	uint64_t facts;

	for (size_t i = 0; i < ps->table.len; i++)
		if (ps->table.data[i].nenablings > 1)
			free(ps->table.data[i].enablings.list);
	for (size_t i = 0; i < ps->facts.cap; i++)
		if (map_at(&ps->facts, i, &facts))
			free((void *)(uintptr_t)facts);
	map_release(&ps->facts);
	vec_release(&ps->table);
	strbuf_release(&ps->names);
	probes_drop_indexes(ps);
	*ps = (struct probes){0};
}

/* Several descriptions name functions in one order: the next name is often asked for. */
static uint32_t name_after(const struct probes *ps, uint32_t last)
{
	uint32_t next = last + (uint32_t)strlen(ps->names.data + last) + 1;

	return next < ps->names.len ? next : last;
}

static bool is_at(const struct probes *ps, uint32_t offset, const char *s)
{
	return strcmp(ps->names.data + offset, s) == 0;
}

/* Adds the name at the offset, which has n bytes, to the index. */
static void index_name(struct probes *ps, uint32_t offset, size_t n)
{
	*vec_push(&ps->offsets) = offset;
	index_add(&ps->strings,
		  hash_bytes(ps->names.data + offset, n, secret_number()));
}

static void index_names(struct probes *ps)
{
	size_t n;

	for (size_t at = 0; at < ps->names.len; at += n + 1) {
		n = strlen(ps->names.data + at);
		index_name(ps, (uint32_t)at, n);
	}
}

/* last, former: of the names of the same field. */
static uint32_t intern(struct probes *ps, const char *s, uint32_t last, uint32_t former)
{
	size_t n;
	uint64_t hash;

	if (is_at(ps, last, s))
		return last;
	if (is_at(ps, former, s))
		return former;
	last = name_after(ps, last);
	if (is_at(ps, last, s))
		return last;
	n = strlen(s);
	hash = hash_bytes(s, n, secret_number());
	for (uint32_t i = index_first(&ps->strings, hash); i;
	     i = index_next(&ps->strings, i))
		if (is_at(ps, ps->offsets.data[i - 1], s))
			return ps->offsets.data[i - 1];
	last = (uint32_t)ps->names.len;
	strbuf_add(&ps->names, s, n + 1);
	index_name(ps, last, n);
	return last;
}

/* Names that were added one after the other have hashes that are near each other. */
static uint64_t hash_name(const uint32_t name[4])
{
	const uint32_t others[] = {name[PROBE_PROVIDER], name[PROBE_MODULE],
				   name[PROBE_NAME]};

	return hash_bytes(others, sizeof(others), 0) + name[PROBE_FUNCTION] / 8;
}

static uint32_t *chain_of(const struct probes *ps, const uint32_t name[4])
{
	return &ps->by_name.heads[hash_name(name) & (ps->by_name.n - 1)];
}

static void link_probe(struct probes *ps, struct probe *p)
{
	uint32_t *head = chain_of(ps, p->name);

	p->next = *head;
	*head = p->id;
}

/* There is a chain for each probe, so that most have one. */
static void make_chains(struct probes *ps)
{
	while (ps->by_name.n < max_u64(CHAINS_MIN, ps->table.len))
		ps->by_name.n = max_u64(CHAINS_MIN, ps->by_name.n * 2);
	free(ps->by_name.heads);
	ps->by_name.heads = oom_calloc(ps->by_name.n, sizeof(*ps->by_name.heads));
	for (size_t i = 0; i < ps->table.len; i++)
		link_probe(ps, &ps->table.data[i]);
}

static void make_indexes(struct probes *ps)
{
	if (ps->by_name.n)
		return;
	index_names(ps);
	make_chains(ps);
}

uint32_t probes_find(struct probes *ps, const char *const name[4])
{
	const size_t known = ps->names.len;
	uint32_t id;

	make_indexes(ps);
	for (int f = 0; f < 4; f++) {
		uint32_t last = ps->last[f];

		ps->last[f] = intern(ps, name[f], last, ps->former[f]);
		if (ps->last[f] != last)
			ps->former[f] = last;
	}
	if (ps->names.len > known) /* no probe has a name that is new */
		return 0;
	id = *chain_of(ps, ps->last);
	while (id && memcmp(ps->table.data[id - 1].name, ps->last, sizeof(ps->last)))
		id = ps->table.data[id - 1].next;
	return id;
}

uint32_t probes_add(struct probes *ps, const struct provider *prov,
		    const char *const name[4])
{
	const uint32_t found = probes_find(ps, name);
	struct probe *added;

	if (found)
		return found;
	added = vec_push(&ps->table);
	*added = (struct probe){.provider = prov};
	memcpy(added->name, ps->last, sizeof(ps->last));
	added->id = (uint32_t)ps->table.len;
	if (ps->table.len > ps->by_name.n)
		make_chains(ps);
	else
		link_probe(ps, added);
	return added->id;
}

struct probe *probes_get(const struct probes *ps, uint32_t id)
{
	return id >= 1 && id <= ps->table.len ? &ps->table.data[id - 1] : NULL;
}

const char *probes_name(const struct probes *ps, const struct probe *p,
			enum probe_field f)
{
	return ps->names.data + p->name[f];
}

struct probe_note_facts *probes_facts(const struct probes *ps, const struct probe *p)
{
	uint64_t facts;

	return map_get(&ps->facts, p->id, &facts) ? (void *)(uintptr_t)facts : NULL;
}

struct probe_note_facts *probes_add_facts(struct probes *ps, const struct probe *p)
{
	struct probe_note_facts *facts = oom_calloc(1, sizeof(*facts));

	map_set(&ps->facts, p->id, (uintptr_t)facts);
	return facts;
}

/* Makes room for one more. Most probes have one clause, and there may be many probes. */
static struct vm_enabling *reserve(struct probe *p)
{
	const struct vm_enabling one = p->enablings.one;
	const uint32_t len = p->nenablings;

	if (!len)
		return &p->enablings.one;
	if (len == 1) {
		p->enablings.list = oom_realloc(NULL, 2 * sizeof(one));
		p->enablings.list[0] = one;
	} else if ((len & (len - 1)) == 0) {
		p->enablings.list =
			oom_realloc(p->enablings.list, 2 * len * sizeof(one));
	}
	return &p->enablings.list[len];
}

void probes_enable(struct probes *ps, uint32_t id, uint32_t clause)
{
	struct probe *p = probes_get(ps, id);

	*reserve(p) = (struct vm_enabling){clause, ++ps->nepids};
	p->nenablings++;
}

static void make_last(struct probe *p, size_t i)
{
	struct vm_enabling *list =
		p->nenablings > 1 ? p->enablings.list : &p->enablings.one;
	const struct vm_enabling moved = list[i];

	for (; i + 1 < p->nenablings; i++)
		list[i] = list[i + 1];
	list[i] = moved;
}

void probes_record(struct probes *ps, uint32_t id)
{
	struct probe *p = probes_get(ps, id);
	uint32_t clause =
		ps->recorder ? ps->recorder(ps->recorder_ctx, p) : PROBES_NO_CLAUSE;

	if (clause == PROBES_NO_CLAUSE)
		return;
	for (size_t i = 0; i < p->nenablings; i++) {
		if (probe_enablings(p)[i].clause == clause) {
			make_last(p, i);
			return;
		}
	}
	probes_enable(ps, id, clause);
}
