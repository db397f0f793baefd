/* SPDX-License-Identifier: MIT */
#include "tracer/base/probe.h"
#include "vm/base/host/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void probes_init(struct probes *ps)
{
	*ps = (struct probes){0};
	strbuf_putc(&ps->names, '\0'); /* offset 0 is the empty string */
	strmap_set(&ps->strings, "", 0);
}

void probes_release(struct probes *ps)
{
	for (size_t i = 0; i < ps->table.len; i++)
		vec_release(&ps->table.data[i].enablings);
	vec_release(&ps->table);
	strbuf_release(&ps->names);
	strmap_release(&ps->strings);
	strmap_release(&ps->by_name);
	*ps = (struct probes){0};
}

static uint32_t intern(struct probes *ps, const char *s)
{
	uint64_t offset;

	if (strmap_get(&ps->strings, s, &offset))
		return (uint32_t)offset;
	offset = ps->names.len;
	strbuf_add(&ps->names, s, strlen(s) + 1);
	strmap_set(&ps->strings, s, offset);
	return (uint32_t)offset;
}

uint32_t probes_add(struct probes *ps, const struct provider *prov,
		    const char *const name[4])
{
	struct probe p = {.provider = prov}, *added;
	char key[4 * 9 + 1]; /* "OFFSET.OFFSET.OFFSET.OFFSET" */
	uint64_t id;

	for (int f = 0; f < 4; f++)
		p.name[f] = intern(ps, name[f]);
	snprintf(key, sizeof(key), "%" PRIx32 ".%" PRIx32 ".%" PRIx32 ".%" PRIx32,
		 p.name[0], p.name[1], p.name[2], p.name[3]);
	if (strmap_get(&ps->by_name, key, &id))
		return (uint32_t)id;
	added = vec_push(&ps->table);
	*added = p;
	added->id = (uint32_t)ps->table.len;
	strmap_set(&ps->by_name, key, added->id);
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

void probes_enable(struct probes *ps, uint32_t id, uint32_t clause)
{
	struct probe *p = probes_get(ps, id);

	*vec_push(&p->enablings) = (struct vm_enabling){clause, ++ps->nepids};
}
