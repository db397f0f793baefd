/* SPDX-License-Identifier: MIT */
#include "tracer/base/probe.h"
#include "vm/base/hash.h"
#include "vm/base/host/vec.h"

#include <string.h>

void probes_init(struct probes *ps)
{
	*ps = (struct probes){0};
	strbuf_putc(&ps->names, '\0'); /* offset 0 is the empty string */
	map_set(&ps->strings, hash_bytes("", 0, 0), 0);
}

void probes_release(struct probes *ps)
{
	for (size_t i = 0; i < ps->table.len; i++) {
		vec_release(&ps->table.data[i].enablings);
		free(ps->table.data[i].facts);
	}
	vec_release(&ps->table);
	strbuf_release(&ps->names);
	map_release(&ps->strings);
	map_release(&ps->by_name);
	*ps = (struct probes){0};
}

static uint32_t intern(struct probes *ps, const char *s, uint32_t last)
{
	size_t n = strlen(s);
	uint64_t offset, key;

	if (strcmp(ps->names.data + last, s) == 0)
		return last;
	key = hash_bytes(s, n, 0);
	for (; map_get(&ps->strings, key, &offset); key = hash_u64(key))
		if (strcmp(ps->names.data + offset, s) == 0)
			return (uint32_t)offset;
	offset = ps->names.len;
	strbuf_add(&ps->names, s, n + 1);
	map_set(&ps->strings, key, offset);
	return (uint32_t)offset;
}

uint32_t probes_add(struct probes *ps, const struct provider *prov,
		    const char *const name[4])
{
	struct probe *added;
	uint64_t id, key;

	for (int f = 0; f < 4; f++)
		ps->last[f] = intern(ps, name[f], ps->last[f]);
	key = hash_bytes(ps->last, sizeof(ps->last), 0);
	for (; map_get(&ps->by_name, key, &id); key = hash_u64(key))
		if (memcmp(ps->table.data[id - 1].name, ps->last, sizeof(ps->last)) ==
		    0)
			return (uint32_t)id;
	added = vec_push(&ps->table);
	*added = (struct probe){.provider = prov};
	memcpy(added->name, ps->last, sizeof(ps->last));
	added->id = (uint32_t)ps->table.len;
	map_set(&ps->by_name, key, added->id);
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
