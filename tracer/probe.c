/* SPDX-License-Identifier: MIT */
#include "tracer/probe.h"
#include "vm/base/host/vec.h"

#include <stdio.h>
#include <string.h>

/* Longest full name: 63 + 63 + 127 + 63 and three colons; symbols may exceed it. */
#define FULL_NAME_MAX 4096

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
	char full[FULL_NAME_MAX];
	struct probe *p;
	uint64_t id;

	snprintf(full, sizeof(full), "%s:%s:%s:%s", name[0], name[1], name[2], name[3]);
	if (strmap_get(&ps->by_name, full, &id))
		return (uint32_t)id;
	p = vec_push(&ps->table);
	*p = (struct probe){.id = (uint32_t)ps->table.len, .provider = prov};
	for (int f = 0; f < 4; f++)
		p->name[f] = intern(ps, name[f]);
	strmap_set(&ps->by_name, full, p->id);
	return p->id;
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
