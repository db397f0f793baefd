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
	for (size_t i = 0; i < ps->table.len; i++) {
		if (ps->table.data[i].enablings.cap > 1)
			free(ps->table.data[i].enablings.data);
		free(ps->table.data[i].facts);
	}
	for (size_t i = 0; i < ps->single.len; i++)
		free(ps->single.data[i]);
	vec_release(&ps->single);
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

/* Room for the first clause of a probe. */
static struct vm_enabling *take_single(struct probes *ps)
{
	if (ps->nsingle == ps->single.len * PROBES_CHUNK)
		*vec_push(&ps->single) =
			oom_realloc(NULL, PROBES_CHUNK * sizeof(struct vm_enabling));
	return ps->single.data[ps->single.len - 1] + ps->nsingle++ % PROBES_CHUNK;
}

/* Makes room for one more. Most probes have one clause, and there may be many probes. */
static void reserve(struct probes *ps, struct probe *p)
{
	struct vm_enabling *had = p->enablings.data;
	uint32_t cap = p->enablings.cap;

	if (!cap) {
		p->enablings.data = take_single(ps);
	} else {
		p->enablings.data = oom_realloc(cap > 1 ? had : NULL,
						cap * 2 * sizeof(*p->enablings.data));
		if (cap == 1)
			p->enablings.data[0] = *had;
	}
	p->enablings.cap = cap ? cap * 2 : 1;
}

void probes_enable(struct probes *ps, uint32_t id, uint32_t clause)
{
	struct probe *p = probes_get(ps, id);

	if (p->enablings.len == p->enablings.cap)
		reserve(ps, p);
	p->enablings.data[p->enablings.len++] =
		(struct vm_enabling){clause, ++ps->nepids};
}

static void make_last(struct probe *p, size_t i)
{
	const struct vm_enabling moved = p->enablings.data[i];

	for (; i + 1 < p->enablings.len; i++)
		p->enablings.data[i] = p->enablings.data[i + 1];
	p->enablings.data[i] = moved;
}

void probes_record(struct probes *ps, uint32_t id)
{
	struct probe *p = probes_get(ps, id);
	uint32_t clause =
		ps->recorder ? ps->recorder(ps->recorder_ctx, p) : PROBES_NO_CLAUSE;

	if (clause == PROBES_NO_CLAUSE)
		return;
	for (size_t i = 0; i < p->enablings.len; i++) {
		if (p->enablings.data[i].clause == clause) {
			make_last(p, i);
			return;
		}
	}
	probes_enable(ps, id, clause);
}
