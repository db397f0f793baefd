/* SPDX-License-Identifier: MIT */
/*
 * The table only grows: a probe keeps its index (id - 1) for the whole run. The clauses
 * of a probe are in the order in which probes_enable() added them.
 */
#include "tracer/base/probe_table.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t count_enablings(const struct probes *ps)
{
	size_t n = 0;

	for (size_t i = 0; i < ps->table.len; i++)
		n += ps->table.data[i].enablings.len;
	return n;
}

static void build_table(struct tracer *t)
{
	const struct probes *ps = &t->probes;
	size_t n = ps->table.len, nenablings = count_enablings(ps);
	size_t names = align_up(ps->names.len + VM_NAMES_REST, sizeof(uint32_t));
	size_t operands = t->operands.len * sizeof(*t->operands.data);
	size_t size = sizeof(struct vm_table) + n * sizeof(struct vm_probe) +
		      nenablings * sizeof(struct vm_enabling) +
		      n * sizeof(struct vm_fullname) + names + operands;
	struct vm_table *table = oom_calloc(1, size);
	struct vm_probe *probes = (void *)(table + 1);
	struct vm_enabling *enablings = (void *)(probes + n);
	struct vm_fullname *fullnames = (void *)(enablings + nenablings);
	uint32_t next = 0;

	table->nprobes = (uint32_t)n;
	table->nenablings = (uint32_t)nenablings;
	table->names_size = (uint32_t)names;
	table->noperands = (uint32_t)t->operands.len;
	table->error = UINT32_MAX;
	for (size_t i = 0; i < n; i++) {
		const struct probe *p = &ps->table.data[i];

		probes[i].id = p->id;
		memcpy(fullnames[i].field, p->name, sizeof(p->name));
		probes[i].first_enabling = next;
		probes[i].nenablings = (uint32_t)p->enablings.len;
		if (p->enablings.len > 0)
			memcpy(enablings + next, p->enablings.data,
			       p->enablings.len * sizeof(*enablings));
		next += probes[i].nenablings;
		if (p->id == PROBE_ERROR && p->enablings.len > 0)
			table->error = (uint32_t)i;
		if (p->id == t->diag.missed_ustack && p->enablings.len > 0)
			table->missed_ustack = (uint32_t)i + 1;
	}
	memcpy(fullnames + n, ps->names.data, ps->names.len);
	if (operands)
		memcpy((char *)(fullnames + n) + names, t->operands.data, operands);
	free(t->table);
	t->table = table;
	t->table_size = size;
}

int probe_table_update(struct tracer *t, struct err *e)
{
	struct link_request req = {.msg = {.type = KEEPER_REQ_PROBES}, .nfds = 1};
	uint32_t nprobes = (uint32_t)t->probes.table.len;
	int rc;

	if (t->table && nprobes == t->table_probes &&
	    t->probes.nepids == t->table_epids && t->operands.len == t->table_operands)
		return 0;
	build_table(t);
	host_env_use(&t->host, t->table);
	t->table_probes = nprobes;
	t->table_epids = t->probes.nepids;
	t->table_operands = (uint32_t)t->operands.len;
	if (t->link.fd < 0)
		return 0;
	req.fds[0] = link_memfd(t->table, t->table_size);
	if (req.fds[0] < 0)
		return err_errno(e, STATUS_NOMEM, "cannot make the probe table");
	req.msg.memory.bytes = t->table_size;
	rc = link_call(&t->link, &req, NULL, NULL, e);
	close(req.fds[0]);
	return rc;
}
