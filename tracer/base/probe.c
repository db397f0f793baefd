/* SPDX-License-Identifier: MIT */
#include "tracer/base/probe.h"
#include "vm/base/hash.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <string.h>

void probes_init(struct probes *ps)
{
	*ps = (struct probes){0};
	strbuf_putc(&ps->names, '\0'); /* offset 0 is the empty string */
	*vec_push(&ps->offsets) = 0;
	index_add(&ps->strings, hash_bytes("", 0, 0));
}

void probes_release(struct probes *ps)
{
	uint64_t facts;

	for (size_t i = 0; i < ps->table.len; i++)
		if (ps->table.data[i].enablings.cap)
			free(ps->table.data[i].enablings.list);
	for (size_t i = 0; i < ps->facts.cap; i++)
		if (map_at(&ps->facts, i, &facts))
			free((void *)(uintptr_t)facts);
	map_release(&ps->facts);
	vec_release(&ps->table);
	strbuf_release(&ps->names);
	vec_release(&ps->offsets);
	index_release(&ps->strings);
	index_release(&ps->by_name);
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
	hash = hash_bytes(s, n, 0);
	for (uint32_t i = index_first(&ps->strings, hash); i;
	     i = index_next(&ps->strings, i))
		if (is_at(ps, ps->offsets.data[i - 1], s))
			return ps->offsets.data[i - 1];
	last = (uint32_t)ps->names.len;
	strbuf_add(&ps->names, s, n + 1);
	*vec_push(&ps->offsets) = last;
	index_add(&ps->strings, hash);
	return last;
}

/* Names that were added one after the other have hashes that are near each other. */
static uint64_t hash_name(const uint32_t name[4])
{
	const uint32_t others[] = {name[PROBE_PROVIDER], name[PROBE_MODULE],
				   name[PROBE_NAME]};

	return hash_bytes(others, sizeof(others), 0) + name[PROBE_FUNCTION] / 8;
}

uint32_t probes_find(struct probes *ps, const char *const name[4])
{
	const size_t known = ps->names.len;
	uint64_t hash;

	for (int f = 0; f < 4; f++) {
		uint32_t last = ps->last[f];

		ps->last[f] = intern(ps, name[f], last, ps->former[f]);
		if (ps->last[f] != last)
			ps->former[f] = last;
	}
	if (ps->names.len > known) /* no probe has a name that is new */
		return 0;
	hash = hash_name(ps->last);
	for (uint32_t id = index_first(&ps->by_name, hash); id;
	     id = index_next(&ps->by_name, id))
		if (memcmp(ps->table.data[id - 1].name, ps->last, sizeof(ps->last)) ==
		    0)
			return id;
	return 0;
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
	index_add(&ps->by_name, hash_name(ps->last));
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
	const uint32_t cap = p->enablings.cap, len = p->enablings.len;

	if (!cap && !len)
		return &p->enablings.one;
	if (!cap) {
		p->enablings.list = oom_realloc(NULL, 2 * sizeof(one));
		p->enablings.list[0] = one;
		p->enablings.cap = 2;
	} else if (len == cap) {
		p->enablings.list =
			oom_realloc(p->enablings.list, 2 * cap * sizeof(one));
		p->enablings.cap = 2 * cap;
	}
	return &p->enablings.list[len];
}

void probes_enable(struct probes *ps, uint32_t id, uint32_t clause)
{
	struct probe *p = probes_get(ps, id);

	*reserve(p) = (struct vm_enabling){clause, ++ps->nepids};
	p->enablings.len++;
}

static void make_last(struct probe *p, size_t i)
{
	struct vm_enabling *list =
		p->enablings.cap ? p->enablings.list : &p->enablings.one;
	const struct vm_enabling moved = list[i];

	for (; i + 1 < p->enablings.len; i++)
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
	for (size_t i = 0; i < p->enablings.len; i++) {
		if (probe_enablings(p)[i].clause == clause) {
			make_last(p, i);
			return;
		}
	}
	probes_enable(ps, id, clause);
}
